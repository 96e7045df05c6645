#include "classifiers/evidence/observations.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "classifiers/evidence/logged.h"
#include "model/duration.h"

namespace hangstack::classifiers {
namespace {

using model::Hung;
using model::Observation;
using model::RankSet;

std::string at_site(const ThreadState& state) {
  return state.site ? fmt::format(" at {}", state.site->text()) : std::string();
}

std::string thread_note(const ProcessFacts& process) {
  const ThreadFacts* thread = process.blocking_thread();
  if (thread == nullptr || process.blocking == process.main) return {};
  const auto& name = thread->view.thread->python_name;
  const auto& comm = thread->view.thread->name;
  return fmt::format(", on thread {}", name.empty() ? comm : name);
}

/// "waits for the device in cudaStreamSynchronize", "sleeps in time.sleep", "waits in all_reduce".
std::string activity(StateKind kind, const ThreadState& state) {
  if (waits_for_peers(kind)) {
    return fmt::format("waits in {}{}", state.title, state.detail.empty() ? "" : fmt::format(" ({})", state.detail));
  }
  const bool site_says_it = kind == StateKind::running && state.site && state.site->function == state.title;
  return state_phrase(kind, site_says_it ? std::string_view() : state.title);
}

std::string activity(const ThreadState& state) {
  switch (state.kind) {
    case StateKind::stopped:
    case StateKind::traced: return "stopped where it " + activity(state.beneath, state);
    case StateKind::uninterruptible:
      return fmt::format("{}{}, where it {}", state_words(state.kind),
                         state.detail.empty() ? "" : fmt::format(" in {}", state.detail),
                         activity(state.beneath, state));
    default: return activity(state.kind, state);
  }
}

bool plural(const RankSet& set) { return set.size() > 1; }

/// More are not named in a command: without pids hangstack finds them by itself.
constexpr std::size_t kMostPids = 16;

std::vector<std::int32_t> pids_of(const JobFacts& job) {
  std::vector<std::int32_t> pids;
  for (const RankFacts& rank : job.ranks) pids.push_back(rank.process->last().pid);
  return pids;
}

}  // namespace

void append(std::vector<Observation>& to, std::vector<Observation> more) {
  to.insert(to.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

std::vector<Observation> waiting_in_operations(const JobFacts& job) {
  std::vector<Observation> out;
  for (const auto& operation : job.operations) {
    for (const auto& [site, ranks] : operation.sites) {
      const RankFacts* example = job.rank(*ranks.ranks().begin());
      const auto& detail = example->state().detail;
      out.push_back({fmt::format("{} in {}{}{}{}", plural(ranks) ? "wait" : "waits", operation.title,
                                 detail.empty() ? "" : fmt::format(" ({})", detail), site.empty() ? "" : " at " + site,
                                 thread_note(*example->process)),
                     ranks, "stacks"});
    }
  }
  return out;
}

std::string waiting_peers(const JobFacts& job, const RankSet& but) {
  if (job.operations.empty()) return {};
  const RankSet peers = job.operations.front().ranks.minus(but);
  if (peers.empty()) return {};
  return fmt::format("; {} in {}", job.subject(peers, "wait"), job.operations.front().title);
}

std::string doing(const ProcessFacts& process) {
  const ThreadState& state = process.state();
  std::string text = activity(state) + at_site(state);
  if (state.caller && !waits_for_peers(state.kind)) text += fmt::format(", under {}", state.caller->text());
  return text + thread_note(process);
}

std::string doing(const JobFacts& job, int rank) {
  const RankFacts* facts = job.rank(rank);
  return facts == nullptr ? std::string() : doing(*facts->process);
}

std::vector<Observation> places_of(const JobFacts& job, const RankSet& set) {
  std::map<std::string, RankSet> places;
  for (const int rank : set.ranks()) places[doing(job, rank)].insert(rank);
  std::vector<Observation> out;
  out.reserve(places.size());
  for (const auto& [text, ranks] : places) out.push_back({text, ranks, "stacks"});
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.ranks < b.ranks; });
  if (out.size() > 8) out.resize(8);
  return out;
}

std::vector<Observation> gloo_work(const JobFacts& job) {
  std::map<std::string, RankSet> works;
  for (const auto& rank : job.ranks) {
    for (const ThreadFacts* thread : rank.process->pending_threads()) {
      if (thread->gloo) works[thread->gloo->name].insert(rank.number);
    }
  }
  std::vector<Observation> out;
  for (const auto& [name, ranks] : works) {
    out.push_back({fmt::format("a gloo worker thread carries out {} and waits for data of a peer",
                               name.empty() ? "an operation" : name),
                   ranks, "stacks"});
  }
  return out;
}

std::vector<Observation> rest_of(const JobFacts& job, const RankSet& set) {
  std::vector<Observation> out;
  RankSet still;
  RankSet napping;
  for (const int n : set.ranks()) {
    const RankFacts* rank = job.rank(n);
    if (rank == nullptr || rank->process->moved != std::optional<bool>(false)) continue;
    (rank->process->napped ? napping : still).insert(n);
  }
  if (const auto age = job.least_sleep(set)) {
    out.push_back({fmt::format("did not run for {}", model::duration(*age)), set, "kernel counters"});
  } else if (!still.empty() && job.imported()) {
    out.push_back({fmt::format("same stack in {} dumps", job.samples), still, "stacks"});
  } else if (!still.empty()) {
    out.push_back(
        {fmt::format("same stack and same counters in {} samples over {}", job.samples, model::duration(job.span_s)),
         still, "kernel counters"});
  }
  if (!napping.empty()) {
    out.push_back(
        {fmt::format("woke and went on waiting at the same place, in {} samples over {}: that is not progress",
                     job.samples, model::duration(job.span_s)),
         napping, "kernel counters"});
  }
  return out;
}

bool is_nameless_zombie(const model::FailedProcess& failed) {
  if (failed.error.code != model::ErrorCode::zombie && failed.kernel_state != 'Z') return false;
  const model::Role role = failed.identity.role;
  return role == model::Role::other || (role == model::Role::rank && !failed.identity.rank);
}

std::vector<std::string> doubts(const JobFacts& job) {
  std::vector<std::string> out;
  if (job.records_alone()) {
    out.emplace_back("dumps alone do not show where a rank stands, nor whether it moves");
    return out;
  }
  if (!job.blind.empty()) out.push_back(fmt::format("{}: no stack could be read", job.who(job.blind)));
  const auto ended = std::ranges::find_if(job.failed, [](const auto* failed) { return is_nameless_zombie(*failed); });
  if (ended != job.failed.end()) {
    const bool counted = std::ranges::any_of(job.ranks, &RankFacts::counted);
    out.push_back(fmt::format("pid {} has ended: if it was a rank, its peers wait for it{}", (*ended)->pid,
                              counted ? ", and the numbers by pid are wrong" : ""));
  } else if (job.failed.size() == 1) {
    out.emplace_back("one process that may belong to it could not be read");
  } else if (!job.failed.empty()) {
    out.push_back(fmt::format("{} processes that may belong to it could not be read", job.failed.size()));
  }
  if (!job.duplicates.empty()) {
    out.push_back("several processes have the same rank number: two jobs may be mixed here");
  }
  if (job.samples == 1) out.emplace_back("one sample only: nothing says whether a thread moves");
  return out;
}

std::vector<Observation> roll_call(const JobFacts& job) {
  std::vector<Observation> out;
  if (const RankSet untraced = job.untraced(); job.imported() && !untraced.empty()) {
    out.push_back({fmt::format("no dump of {}", plural(untraced) ? "them" : "it"), untraced,
                   job.records_alone() ? std::string(records_source(job)) : "files"});
  } else if (!untraced.empty() && !job.ranks.empty()) {
    const std::string read = job.ranks.size() == 1 ? "process" : fmt::format("{} processes", job.ranks.size());
    out.push_back({fmt::format("not among the {} read here, of a world size of {}", read, *job.world_size), untraced,
                   "environment"});
  }
  if (!job.left_out.empty()) {
    out.push_back({fmt::format("{} here too, but {} not among the pids given: not looked at",
                               plural(job.left_out) ? "run" : "runs", plural(job.left_out) ? "were" : "was"),
                   job.left_out, "/proc"});
  }
  RankSet counted;
  for (const auto& rank : job.ranks) {
    if (rank.counted) counted.insert(rank.number);
  }
  if (!counted.empty() && !job.single()) {
    out.push_back({"no variable tells the rank: numbered here by pid", counted, "environment"});
  }
  for (const auto& [number, pids] : job.duplicates) {
    out.push_back(
        {fmt::format("{} processes say that they are rank {}: pids {}", pids.size(), number, fmt::join(pids, ", ")),
         RankSet{number}, "environment"});
  }
  return out;
}

std::string pids_option(const JobFacts& job, const RankSet& set) {
  constexpr std::size_t kMostNamed = 8;
  std::vector<std::int32_t> pids;
  for (const RankFacts& rank : job.ranks)
    if ((set.empty() || set.contains(rank.number)) && pids.size() < kMostNamed && rank.process->last().dump.empty())
      pids.push_back(rank.process->last().pid);
  return pids.empty() ? std::string() : fmt::format("--pids {}", fmt::join(pids, " "));
}

std::string at_ranks(const JobFacts& job, const RankSet& set, std::string_view arguments) {
  if (job.records_alone()) return on_its_hosts(job);
  if (job.imported()) {
    const bool threads = arguments.find("--all-threads") != std::string_view::npos;
    return fmt::format("hangstack import --full{} DUMPS...", threads ? " --all-threads" : "");
  }
  const std::string pids = pids_option(job, set);
  return fmt::format("hangstack {}{}{}", pids, pids.empty() ? "" : " ", arguments);
}

std::string on_its_hosts(const JobFacts& job) {
  return job.imported() ? "ssh HOST hangstack --pgrep TRAINING-SCRIPT" : "hangstack";
}

std::string again(const JobFacts& job, std::string_view arguments) {
  if (job.imported()) return "hangstack import DUMPS... DUMPS-OF-A-MINUTE-LATER...";
  if (job.ranks.empty() || job.imported() || job.ranks.size() > kMostPids)
    return fmt::format("hangstack {}", arguments);
  return fmt::format("hangstack --pids {} {}", fmt::join(pids_of(job), " "), arguments);
}

std::optional<model::NextStep> with_left_out(const JobFacts& job) {
  if (job.left_out.empty()) return std::nullopt;
  std::vector<std::int32_t> pids = pids_of(job);
  pids.insert(pids.end(), job.left_out_pids.begin(), job.left_out_pids.end());
  const bool few = pids.size() <= kMostPids;
  return model::NextStep{fmt::format("look at all ranks of the job on this host: {} not asked for",
                                     job.subject(job.left_out, "was", "were")),
                         few ? fmt::format("hangstack --pids {}", fmt::join(pids, " ")) : "hangstack"};
}

void decide_hung(model::Verdict& verdict, const JobFacts& job, const RankSet& waiting) {
  verdict.since_s = job.stuck_for(waiting);
  const bool still = waiting.minus(job.unmoved).empty() || job.samples == 1;
  verdict.hung = still && verdict.since_s && !waiting.empty() ? Hung::yes : Hung::undecided;
  const auto age = job.least_age(waiting);
  if (job.records_alone()) {
    if (waiting.empty()) return;
    // Of a file that was written later than the dump can have been, the last time in it is all there is.
    verdict.against.emplace_back(
        verdict.since_s ? "for how long, only the times of the files say"
        : age ? fmt::format("for how long is not known: the last time that the files tell is {} after it began",
                            model::duration(std::max(*age, 0.0)))
              : "for how long is not known: dumps do not say when they were written, and no time in them helps");
    return;
  }
  if (still && age && *age < kLeastAge_s)
    verdict.against.push_back(
        {fmt::format("{} not moved for {} only: from {:.0f} s on it is called hung",
                     job.subject(waiting, "has", "have"), model::duration(std::floor(*age * 10) / 10), kLeastAge_s)});
}

}  // namespace hangstack::classifiers
