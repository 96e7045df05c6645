// asymmetric_control_flow: a rank is past the operation that its peers wait in, or on a branch that they are not on,
// without having joined it; or a few ranks wait in an operation that the others never call; or ranks wait in
// different operations.
//
// Evidence: stacks (program order on the common path) and the kernel's counters. From stacks alone it is "possible":
// in a loop, a later line may also be an earlier iteration. "likely" when the rank has left the program or destroys
// its group. Cannot know: the members of groups, sequence numbers, and the condition that divided the ranks.

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "classifiers/evidence/children.h"
#include "classifiers/evidence/observations.h"
#include "classifiers/patterns/name_by_place.h"
#include "classifiers/patterns/outsiders.h"
#include "classifiers/patterns/pattern.h"

namespace hangstack::classifiers {
namespace {

using model::Confidence;
using model::Hung;
using model::RankSet;
using model::Verdict;

void finish(Verdict& verdict, const JobFacts& job, const RankSet& waiting) {
  verdict.pattern = "asymmetric_control_flow";
  decide_hung(verdict, job, waiting);
  verdict.next_steps.push_back(
      {"which condition sent it another way? look for a rank-local value, an uneven number of "
       "batches, an early return",
       at_ranks(job, verdict.culprit_ranks, "--full")});
  if (verdict.hung != Hung::yes) {
    verdict.next_steps.push_back({"does anything move?", again(job, "--samples 3 --gap 30")});
  }
  verdict.verification.emplace_back("every rank of the group calls the same operations in the same order");
  verdict.verification.emplace_back("that all of them belong to the group: stacks do not show the members of a group");
}

Ruling beyond_the_call(const JobFacts& job, const Outsiders& split) {
  Verdict verdict;
  const bool alone = few_wait_alone(job, split);
  verdict.culprit_ranks = alone ? job.inside : split.past;
  verdict.shape = alone        ? "waits in an operation that the others do not call"
                  : split.left ? "has left the loop of operations"
                               : "beyond the call, or on another branch";
  verdict.confidence = split.left ? confidence_in(job, split, verdict.culprit_ranks) : Confidence::possible;
  if (alone) {
    verdict.summary = fmt::format("{} in {}, alone; {} went another way.", job.subject(job.inside, "wait"),
                                  split.operation, job.who(split.past));
  } else {
    verdict.summary = fmt::format("{} in {}; {} went another way: {} {}.", job.subject(split.waiting, "wait"),
                                  split.operation, job.who(split.past), split.past.size() == 1 ? "it" : "the first",
                                  doing(job, *split.past.ranks().begin()));
  }
  finish(verdict, job, split.waiting);
  doubt_by_child(verdict, job, split.past);
  observe_split(verdict, job, split, verdict.culprit_ranks);
  if (!alone) name_by_wait(verdict, job, split, split.past);
  Ruling ruling;
  if (!split.left) {
    ruling.alternatives.push_back({"host_straggler", Confidence::possible,
                                   "in a loop, a later line may be an earlier iteration: then it is merely late"});
  }
  ruling.because = fmt::format("{} beyond {} or on another branch, unmoved", job.who(split.past), split.operation);
  ruling.verdict = std::move(verdict);
  return ruling;
}

/// Everybody waits for peers, yet in different collectives.
bool operations_differ(const JobFacts& job) {
  if (job.operations.size() < 2 || !job.outside.empty()) return false;
  return std::all_of(job.operations.begin(), job.operations.end(), [](const PendingOperation& operation) {
    return (operation.kind == StateKind::collective || operation.kind == StateKind::setup) && !operation.title.empty();
  });
}

Ruling different_operations(const JobFacts& job) {
  const PendingOperation& most = job.operations.front();
  const bool even = job.operations[1].ranks.size() == most.ranks.size();
  Verdict verdict;
  verdict.shape = "different operations";
  verdict.confidence = Confidence::possible;
  if (!even) verdict.culprit_ranks = job.inside.minus(most.ranks);
  verdict.summary = fmt::format("{} in {}", job.subject(most.ranks, "wait"), most.title);
  for (const PendingOperation& other : std::span(job.operations).subspan(1))
    verdict.summary += fmt::format("; {} in {} instead", job.subject(other.ranks, "wait"), other.title);
  verdict.summary += ".";
  finish(verdict, job, job.inside);
  append(verdict.observations, waiting_in_operations(job));
  append(verdict.observations, gloo_work(job));
  append(verdict.observations, rest_of(job, job.inside));
  append(verdict.observations, roll_call(job));
  for (auto& doubt : doubts(job)) verdict.against.push_back(std::move(doubt));
  Ruling ruling;
  ruling.alternatives.push_back({"collective_mismatch", Confidence::possible,
                                 "the same picture, if all of them are one group: the operations' sequence numbers "
                                 "would tell, and were not read"});
  ruling.alternatives.push_back(
      {"cross_group_order", Confidence::possible, "the same picture, if the operations are those of different groups"});
  ruling.because = fmt::format("{} operations are pending, none of them on all ranks", job.operations.size());
  ruling.verdict = std::move(verdict);
  return ruling;
}

}  // namespace

Ruling judge_asymmetric_control_flow(const JobFacts& job) {
  if (operations_differ(job)) {
    if (!job.inside.minus(job.moved).empty() && job.moved.empty()) return different_operations(job);
    return {{}, {}, "operations differ, but ranks moved between the samples"};
  }
  const Outsiders split = outsiders_of(job);
  if (split.waiting.empty()) return {{}, {}, "no rank waits for peers"};
  if (split.past.empty()) return {{}, {}, "no rank that stands still is beyond the pending call"};
  if (!split.late.empty()) {
    return {{}, {}, fmt::format("{} is before the call or moves: that comes first", job.who(split.late))};
  }
  return beyond_the_call(job, split);
}

}  // namespace hangstack::classifiers
