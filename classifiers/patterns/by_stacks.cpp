#include "classifiers/patterns/by_stacks.h"

#include <algorithm>
#include <utility>

#include "classifiers/evidence/inside_process.h"
#include "classifiers/evidence/launched.h"
#include "classifiers/evidence/observations.h"
#include "classifiers/evidence/recorded.h"

namespace hangstack::classifiers {

using model::Confidence;
using model::RankSet;
using model::Verdict;

bool all_wait(const JobFacts& job) {
  return !job.ranks.empty() && job.failed.empty() && job.moved.empty() && job.outside.empty() && job.stopped.empty() &&
         job.traced.empty() && job.dead.empty() && job.blind.empty();
}

bool stacks_decide(const JobFacts& job) {
  return all_wait(job) && job.pending_groups.empty() && job.pending_transfers.empty();
}

bool all_of_kind(const JobFacts& job, StateKind kind) {
  return std::ranges::all_of(job.operations, [&](const PendingOperation& each) { return each.kind == kind; });
}

RankSet ranks_read(const JobFacts& job) {
  RankSet set;
  for (const RankFacts& rank : job.ranks) set.insert(rank.number);
  return set;
}

Verdict by_stacks(const JobFacts& job, std::string_view pattern, const RankSet& waiting, std::string summary) {
  Verdict verdict;
  verdict.pattern = pattern;
  verdict.confidence = Confidence::possible;
  verdict.summary = std::move(summary);
  decide_hung(verdict, job, waiting);
  append(verdict.observations, waiting_in_operations(job));
  append(verdict.observations, places_of(job, ranks_read(job).minus(job.inside)));
  append(verdict.observations, recorded_operations(job));
  append(verdict.observations, launched_on_communicators(job));
  append(verdict.observations, gloo_work(job));
  append(verdict.observations, rest_of(job, waiting));
  append(verdict.observations, gil_facts(job));
  append(verdict.observations, other_threads(job));
  append(verdict.observations, roll_call(job));
  for (auto& doubt : doubts(job)) verdict.against.push_back(std::move(doubt));
  if (verdict.hung != model::Hung::yes) {
    verdict.next_steps.push_back({"does anything move, over a longer time?", again(job, "--samples 3 --gap 30")});
  }
  return verdict;
}

bool has_group_threads(const ProcessFacts& process) {
  return std::ranges::any_of(process.threads, [](const ThreadFacts& thread) {
    const auto& role = thread.role.name;
    return role.starts_with("gloo") || role == "NCCL watchdog" || role == "NCCL heartbeat" || thread.gloo;
  });
}

}  // namespace hangstack::classifiers
