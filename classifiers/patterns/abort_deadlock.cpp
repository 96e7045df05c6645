// abort_deadlock: ranks take their process group apart and do not get on, and nobody waits for a peer in an operation.
// Certain as a place, never as a cause: what they left unfinished is named apart.
//
// Evidence: stacks (abort, destroy_process_group), the kernel's counters; for the first cause the flight recorders.
// Cannot know: why the teardown began; the first exception stands in the ranks' logs.

#include <fmt/format.h>

#include <algorithm>

#include "classifiers/evidence/inside_process.h"
#include "classifiers/evidence/observations.h"
#include "classifiers/evidence/recorded.h"
#include "classifiers/patterns/pattern.h"

namespace hangstack::classifiers {
namespace {

using model::Confidence;
using model::RankSet;
using model::Verdict;

RankSet in_teardown(const JobFacts& job) {
  RankSet found;
  for (const int rank : job.outside.ranks())
    if (job.rank(rank)->state().kind == StateKind::teardown) found.insert(rank);
  return found;
}

/// What the records say of the job as it stood before: the ranks that take it apart were waiting then.
std::optional<model::FirstCause> first_cause(const JobFacts& job, const RankSet& leaving) {
  JobFacts before = job;
  before.device = job.device.united(leaving);
  before.outside = job.outside.minus(leaving);
  for (const auto judge : {judge_collective_mismatch, judge_cross_group_order, judge_p2p_unmatched, judge_nccl_timeout,
                           judge_host_straggler}) {
    if (const Ruling ruling = judge(before); ruling.verdict)
      return model::FirstCause{ruling.verdict->pattern, ruling.verdict->culprit_ranks, ruling.verdict->summary};
  }
  return std::nullopt;
}

}  // namespace

Ruling judge_abort_deadlock(const JobFacts& job) {
  const RankSet leaving = in_teardown(job);
  if (leaving.empty()) return {{}, {}, "no rank is in teardown"};
  const bool all = leaving.size() == job.ranks.size();
  if (!job.inside.empty() || !job.device.empty()) return {{}, {}, "other ranks wait for peers or the device"};
  if (leaving.minus(job.moved).size() < leaving.size()) return {{}, {}, "a rank in teardown moved"};
  if (!all && !job.moved.empty()) return {{}, {}, "not every rank that was read is in teardown, and others move"};
  Verdict verdict;
  verdict.pattern = "abort_deadlock";
  const int first = *leaving.ranks().begin();
  verdict.shape = fmt::format("in {}", job.rank(first)->state().title);
  decide_hung(verdict, job, leaving);
  const bool rests = leaving.minus(job.unmoved).empty() && !job.imported();
  verdict.confidence = all && rests && job.missing.empty() ? Confidence::likely : Confidence::possible;
  verdict.summary =
      fmt::format("{} apart {} process group, and nothing moves{}: {} {}.", job.subject(leaving, "takes", "take"),
                  leaving.size() == 1 ? "its" : "their", job.samples == 1 ? " that one sample could show" : "",
                  leaving.size() == 1 ? "it" : "the first", doing(job, first));
  verdict.first_cause = first_cause(job, leaving);
  if (!all && verdict.first_cause) verdict.culprit_ranks = verdict.first_cause->ranks;
  append(verdict.observations, places_of(job, leaving));
  append(verdict.observations, places_of(job, job.outside.minus(leaving)));
  append(verdict.observations, recorded_operations(job));
  append(verdict.observations, other_threads(job));
  append(verdict.observations, rest_of(job, leaving));
  append(verdict.observations, roll_call(job));
  for (auto& doubt : doubts(job)) verdict.against.push_back(std::move(doubt));
  verdict.against.emplace_back("teardown is where it ends, not why: the first failure came before");
  verdict.next_steps.push_back({"what failed first? the earliest exception or watchdog line in the ranks' logs", ""});
  verdict.next_steps.push_back({"which thread holds the teardown up?", at_ranks(job, leaving, "--full")});
  verdict.verification.emplace_back("the ranks stand at the same place in a sample minutes later");
  return {verdict, {}, fmt::format("{} in teardown, and nothing moves", job.subject(leaving, "is", "are"))};
}

}  // namespace hangstack::classifiers
