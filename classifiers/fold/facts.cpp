#include "classifiers/fold/facts.h"

#include <fmt/format.h>

#include <algorithm>

namespace hangstack::classifiers {
namespace {

using model::RankSet;

constexpr int kMostRanks = 1 << 20;  // a world size comes from a foreign environment
constexpr int kMostLocalRanks = 4096;

std::optional<int> number_in(const std::map<std::string, std::string>& environment, const std::string& name) {
  const auto found = environment.find(name);
  if (found == environment.end() || found->second.empty() || found->second.size() > 7) return std::nullopt;
  int value = 0;
  for (const char c : found->second) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + (c - '0');
  }
  return value;
}

bool says_ended(const model::Error& error) {
  return error.code == model::ErrorCode::vanished || error.code == model::ErrorCode::zombie;
}

/// It was sampled, then could not be sampled again because it had ended.
bool ended_meanwhile(const JobFacts& job, const RankFacts& rank) {
  const auto& last = rank.process->last();
  const bool noted = std::any_of(last.problems.begin(), last.problems.end(), [](const model::Problem& problem) {
    return problem.scope == "pid" && says_ended(problem.error);
  });
  return noted || std::any_of(job.failed.begin(), job.failed.end(), [&](const model::FailedProcess* failed) {
           return says_ended(failed->error) && failed->pid == last.pid && failed->host == last.host;
         });
}

/// A leader may end while threads of its process live: the process has ended when all have.
bool has_ended(const ProcessFacts& process) {
  const bool lives = std::any_of(process.threads.begin(), process.threads.end(),
                                 [](const ThreadFacts& thread) { return thread.state.kind != StateKind::dead; });
  if (lives) return false;
  return process.state().kind == StateKind::dead || process.last().kernel_state == 'Z';
}

void place(JobFacts& job, const RankFacts& rank) {
  const ThreadState& state = rank.state();
  const int n = rank.number;
  if (rank.process->moved) (*rank.process->moved ? job.moved : job.unmoved).insert(n);
  if (state.kind == StateKind::stopped) return job.stopped.insert(n);
  if (state.kind == StateKind::traced) return job.traced.insert(n);
  if (has_ended(*rank.process) || ended_meanwhile(job, rank)) return job.dead.insert(n);
  if (waits_for_peers(state.beneath)) return job.inside.insert(n);
  if (state.kind == StateKind::unknown) return job.blind.insert(n);
  if (state.beneath == StateKind::device) return job.device.insert(n);
  job.outside.insert(n);
}

/// A rank whose main thread does something else while a gloo worker waits in the very operation of its peers has
/// joined it (async_op=True).
void move_asynchronous_inside(JobFacts& job) {
  RankSet joined;
  for (const int n : job.outside.ranks()) {
    for (const ThreadFacts* thread : job.rank(n)->process->pending_threads()) {
      if (!thread->gloo) continue;
      for (auto& operation : job.operations) {
        if (thread->gloo->name == operation.title && !joined.contains(n)) {
          joined.insert(n);
          operation.ranks.insert(n);
        }
      }
    }
  }
  job.outside = job.outside.minus(joined);
  job.inside = job.inside.united(joined);
}

void collect_operations(JobFacts& job) {
  std::map<std::string, PendingOperation> found;
  for (const int n : job.inside.ranks()) {
    const ThreadState& state = job.rank(n)->state();
    PendingOperation& operation = found[state.title];
    operation.title = state.title;
    operation.kind = state.beneath;
    operation.ranks.insert(n);
    operation.sites[state.site ? state.site->text() : std::string()].insert(n);
  }
  for (auto& [title, operation] : found) job.operations.push_back(std::move(operation));
  std::stable_sort(job.operations.begin(), job.operations.end(),
                   [](const auto& a, const auto& b) { return a.ranks.size() > b.ranks.size(); });
}

/// Of communicators that fewer than two ranks' memories count.
void add_communicators_by_ras(JobFacts& job) {
  std::map<std::uint64_t, int> counted;
  for (const RankFacts& rank : job.ranks)
    for (const auto& library : rank.process->last().nccl_libraries)
      for (const auto& side : library.communicators) counted[side.hash] += side.launched_in_all() > 0 ? 1 : 0;
  for (SharedCommunicator& communicator : communicators_of(job.ras, job.ras_sides)) {
    const auto known = counted.find(communicator.hash);
    if ((known == counted.end() || known->second < 2) && is_unequal(communicator))
      job.unequal_communicators.push_back(std::move(communicator));
  }
}

void find_world_size(JobFacts& job) {
  const auto offer = [&](const model::RankIdentity& identity) {
    if (!identity.world_size || *identity.world_size <= 0 || *identity.world_size > kMostRanks) return;
    if (job.world_size && *job.world_size != *identity.world_size) job.world_sizes_differ = true;
    job.world_size = std::max(job.world_size.value_or(0), *identity.world_size);
  };
  for (const auto& rank : job.ranks) offer(rank.process->last().identity);
  for (const auto* failed : job.failed) {
    if (failed->identity.rank) offer(failed->identity);
  }
}

bool is_local_address(std::string_view key) {
  return key.starts_with("127.") || key.starts_with("localhost") || key.starts_with("::1") || key.starts_with("[::1]");
}

/// Ranks that should run on the hosts that were looked at.
void find_expected(JobFacts& job) {
  if (job.world_size && is_local_address(job.key)) {
    for (int n = 0; n < *job.world_size; ++n) job.expected_here.insert(n);
    job.expected_by = fmt::format("WORLD_SIZE={} with the rendezvous at {}", *job.world_size, job.key);
    return;
  }
  for (const auto& rank : job.ranks) {
    const auto& process = rank.process->last();
    const auto local = number_in(process.environment, "LOCAL_WORLD_SIZE");
    if (!local || !process.identity.local_rank || *local > kMostLocalRanks || rank.counted) continue;
    const int first = rank.number - *process.identity.local_rank;
    if (first < 0) continue;
    for (int i = 0; i < *local; ++i) job.expected_here.insert(first + i);
    job.expected_by = fmt::format("LOCAL_WORLD_SIZE={}", *local);
  }
}

void find_missing(JobFacts& job) {
  if (!job.world_size) return;
  RankSet known;
  for (const auto& rank : job.ranks) known.insert(rank.number);
  for (const auto* failed : job.failed) {
    if (failed->identity.rank) known.insert(*failed->identity.rank);
  }
  for (int n = 0; n < *job.world_size; ++n) {
    if (!known.contains(n)) job.missing.insert(n);
  }
}

}  // namespace

std::string PendingOperation::main_site() const {
  const auto most = std::max_element(sites.begin(), sites.end(),
                                     [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
  return most == sites.end() ? std::string() : most->first;
}

const RankFacts* JobFacts::rank(int number) const {
  const auto found = std::lower_bound(ranks.begin(), ranks.end(), number,
                                      [](const RankFacts& rank, int wanted) { return rank.number < wanted; });
  return found == ranks.end() || found->number != number ? nullptr : &*found;
}

bool JobFacts::imported() const {
  return !ranks.empty() &&
         std::ranges::all_of(ranks, [](const RankFacts& rank) { return !rank.process->last().dump.empty(); });
}

bool JobFacts::records_alone() const {
  return imported() && std::ranges::any_of(ranks, [](const RankFacts& rank) { return rank.process->threads.empty(); });
}

std::string JobFacts::who(const RankSet& set) const {
  if (single() && ranks.front().counted) return fmt::format("the process (pid {})", ranks.front().process->last().pid);
  if (set.empty()) return "no rank";
  return fmt::format("{} {}", set.size() == 1 ? "rank" : "ranks", set.folded());
}

std::string JobFacts::subject(const RankSet& set, std::string_view verb) const {
  return fmt::format("{} {}{}", who(set), verb, set.size() == 1 ? "s" : "");
}

std::string JobFacts::subject(const RankSet& set, std::string_view one, std::string_view many) const {
  return fmt::format("{} {}", who(set), set.size() == 1 ? one : many);
}

std::optional<double> JobFacts::least_sleep(const RankSet& set) const {
  std::optional<double> least;
  for (const int n : set.ranks()) {
    const RankFacts* facts = rank(n);
    if (facts == nullptr || !facts->process->asleep_s) return std::nullopt;
    least = std::min(least.value_or(*facts->process->asleep_s), *facts->process->asleep_s);
  }
  return least;
}

std::optional<double> JobFacts::least_age(const RankSet& set) const {
  std::optional<double> least;
  for (const int n : set.ranks()) {
    const RankFacts* facts = rank(n);
    if (facts == nullptr) return std::nullopt;
    const auto age = facts->process->asleep_s ? facts->process->asleep_s : facts->process->pending_s;
    if (!age) return std::nullopt;
    least = std::min(least.value_or(*age), *age);
  }
  return least;
}

std::optional<double> JobFacts::stuck_for(const RankSet& set) const {
  if (const auto age = least_age(set); age && *age >= std::max(kLeastAge_s, span_s * 0.9)) return age;
  if (samples > 1 && span_s >= kLeastAge_s && set.minus(unmoved).empty() && !set.empty()) return span_s;
  return std::nullopt;
}

void complete_facts(JobFacts& job) {
  std::stable_sort(job.ranks.begin(), job.ranks.end(),
                   [](const RankFacts& a, const RankFacts& b) { return a.number < b.number; });
  for (auto& rank : job.ranks) {
    rank.lock_cycle = lock_cycle_of(*rank.process);
    place(job, rank);
    job.samples = std::max(job.samples, static_cast<int>(rank.process->history->samples.size()));
  }
  job.pending_groups = pending_groups_of(job.ranks);
  job.pending_transfers = pending_transfers_of(job.ranks);
  job.unequal_communicators = unequal_communicators_of(job.ranks);
  add_communicators_by_ras(job);
  job.counts_apart = counts_apart(job.ranks, job.ras, job.moved);
  collect_operations(job);
  move_asynchronous_inside(job);
  find_world_size(job);
  find_expected(job);
  find_missing(job);
}

}  // namespace hangstack::classifiers
