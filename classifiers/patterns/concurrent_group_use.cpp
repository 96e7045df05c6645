// concurrent_group_use: several threads of a rank call collectives of one process group, and the ranks' threads came in
// different orders. Each thread's own calls are right.
//
// Evidence: the flight recorders: the stacks that called say from which thread each unfinished collective comes.
// Cannot know: threads with one start function are one to it.

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "classifiers/evidence/observations.h"
#include "classifiers/evidence/recorded.h"
#include "classifiers/patterns/by_stacks.h"
#include "classifiers/patterns/pattern.h"
#include "classifiers/states/recorded_progress.h"
#include "model/file_path.h"

namespace hangstack::classifiers {
namespace {

using model::RankSet;
using model::RecordedOperation;
using model::Verdict;

/// The function that the calling thread began with: "<module>", or what threading.Thread was given. Empty: unknown; so
/// for a hook that autograd's own threads call, which stand for the thread that called backward().
std::string thread_of(const RecordedOperation& operation) {
  if (operation.frames.empty()) return {};
  if (operation.frames.back().function == "<module>") return "<module>";
  for (std::size_t i = operation.frames.size(); i-- > 0;) {
    const bool began = model::base_name(operation.frames[i].file) == "threading.py";
    if (!began && i + 1 == operation.frames.size()) return {};
    if (!began) return "thread " + operation.frames[i].function;
  }
  return {};
}

/// What one rank has unfinished in a group: by sequence number, from which thread.
using Threads = std::map<std::uint64_t, std::string>;

Threads threads_in(const RankFacts& rank, const PendingGroup& group, const RecordedOperation& first) {
  Threads found;
  for (const auto& recorder : rank.process->last().flight_recorders) {
    for (const RecordedOperation* operation : unfinished_collectives(recorder)) {
      if (operation->backend != group.backend || operation->group != group.name) continue;
      if (operation->group_id != first.group_id) continue;
      std::string thread = thread_of(*operation);
      if (!thread.empty()) found[operation->sequence] = std::move(thread);
    }
  }
  return found;
}

bool several(const Threads& threads) {
  return std::ranges::any_of(threads, [&](const auto& each) { return each.second != threads.begin()->second; });
}

bool other_order(const Threads& one, const Threads& other) {
  return std::ranges::any_of(one, [&](const auto& each) {
    const auto same = other.find(each.first);
    return same != other.end() && same->second != each.second;
  });
}

struct Concurrent {
  const PendingGroup* group = nullptr;
  std::map<int, Threads> ranks;  ///< of the ranks with several threads
};

std::optional<Concurrent> concurrent_in(const JobFacts& job) {
  for (const PendingGroup& group : job.pending_groups) {
    Concurrent found{&group, {}};
    for (const auto& [rank, operation] : group.pending) {
      Threads threads = threads_in(*job.rank(rank), group, *operation);
      if (several(threads)) found.ranks.emplace(rank, std::move(threads));
    }
    for (const auto& [rank, threads] : found.ranks)
      if (other_order(found.ranks.begin()->second, threads)) return found;
  }
  return std::nullopt;
}

/// Ranks of which a thread beside the main one, both in the user's Python code, is in a collective of its own.
RankSet in_collectives_of_several_threads(const JobFacts& job) {
  RankSet found;
  for (const int n : job.inside.ranks()) {
    const ProcessFacts& process = *job.rank(n)->process;
    if (process.state().kind != StateKind::collective || process.moved.value_or(false)) continue;
    const bool another = std::ranges::any_of(process.pending_threads(), [](const ThreadFacts* thread) {
      return thread->view.has_python() && thread->state.kind == StateKind::collective && !thread->gloo &&
             !thread->role.name.starts_with("autograd");
    });
    if (another) found.insert(n);
  }
  return found;
}

}  // namespace

Ruling judge_concurrent_by_stacks(const JobFacts& job) {
  if (!stacks_decide(job)) return {{}, {}, "not all ranks wait, or flight recorders tell for what"};
  const RankSet ranks = in_collectives_of_several_threads(job);
  if (ranks.empty()) return {{}, {}, "no rank has two threads in collectives"};
  auto verdict =
      by_stacks(job, "concurrent_group_use", job.inside,
                fmt::format("{} in collectives of several threads at a time: {}. If they use one process group, "
                            "their order differs between the ranks.",
                            job.subject(ranks, "is", "are"), doing(job, *ranks.ranks().begin())));
  verdict.shape = "collectives of several threads";
  verdict.culprit_ranks = ranks;
  verdict.next_steps.push_back(
      {"which groups do the threads use? the whole stacks", at_ranks(job, ranks, "--full --all-threads")});
  verdict.verification.emplace_back("each thread has a group of its own, or all collectives come from one thread");
  Ruling ruling{verdict, {}, fmt::format("{} in collectives of several threads", job.who(ranks))};
  ruling.alternatives.push_back({"collective_mismatch", model::Confidence::possible,
                                 "with a group for each thread, one of them may miss a peer"});
  return ruling;
}

Ruling judge_concurrent_group_use(const JobFacts& job) {
  const auto concurrent = concurrent_in(job);
  if (!concurrent) return {{}, {}, "no ranks have collectives of one group from several threads in different orders"};
  Verdict verdict;
  verdict.pattern = "concurrent_group_use";
  verdict.shape = "threads in different orders";
  RankSet waiting;
  for (const auto& [rank, operation] : concurrent->group->pending) waiting.insert(rank);
  for (const auto& [rank, threads] : concurrent->ranks) {
    verdict.culprit_ranks.insert(rank);
    std::string order;
    for (const auto& [sequence, thread] : threads)
      order += fmt::format("{}#{} from {}", order.empty() ? "" : ", ", sequence, thread);
    if (verdict.observations.size() < 4)
      verdict.observations.push_back({"unfinished of this group: " + order, {rank}, "flight recorder"});
  }
  verdict.summary = fmt::format(
      "{} one process group from several threads at a time: {}. The threads came in different orders, so that the "
      "collectives do not meet.",
      job.subject(verdict.culprit_ranks, "uses", "use"),
      operation_text(*concurrent->group, *concurrent->group->pending.at(concurrent->ranks.begin()->first)));
  argue_by_records(verdict, job, waiting);
  verdict.next_steps.push_back(
      {"which threads use the group? the whole stacks", at_ranks(job, verdict.culprit_ranks, "--full --all-threads")});
  verdict.verification.emplace_back("each thread has a group of its own, or all collectives come from one thread");
  return {verdict,
          {},
          fmt::format("{} collectives of group \"{}\" from several threads in different orders",
                      job.subject(verdict.culprit_ranks, "has", "have"), concurrent->group->name)};
}

}  // namespace hangstack::classifiers
