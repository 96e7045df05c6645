// nccl_timeout: every member of a group has called the same NCCL collective, and devices do not end it: the hosts have
// done their part. Where some members' devices have ended it, the others' are to blame.
//
// Evidence: the members' flight recorders (same sequence number, operation and sizes), stacks (the hosts wait) and the
// kernel's counters. Cannot know: whether a kernel, a link or NCCL stands still; PyTorch's watchdog marks what ended,
// and if it is blocked itself, a collective that ended stays unfinished.

#include <fmt/format.h>

#include <algorithm>

#include "classifiers/evidence/observations.h"
#include "classifiers/evidence/recorded.h"
#include "classifiers/patterns/pattern.h"
#include "classifiers/states/recorded_progress.h"

namespace hangstack::classifiers {
namespace {

using model::Confidence;
using model::RankSet;
using model::RecordedOperation;
using model::Verdict;

struct StuckCollective {
  const PendingGroup* group = nullptr;
  const RecordedOperation* operation = nullptr;
  RankSet unfinished;
  RankSet finished;
};

/// Those that must call the group's collectives; empty if nothing says so.
std::set<int> members_of(const JobFacts& job, const PendingGroup& group) {
  if (!group.members.empty()) return group.members;
  std::set<int> seen;
  if (!job.missing.empty()) return seen;
  for (const auto& [rank, operation] : group.latest) seen.insert(rank);
  return seen.size() == job.ranks.size() ? seen : std::set<int>{};
}

/// Whether the device has nothing older of the rank to end: a collective waits behind that of another group.
bool is_oldest_of(const RankFacts& rank, const RecordedOperation* operation) {
  for (const auto& recorder : rank.process->last().flight_recorders) {
    const auto waiting = unfinished_collectives(recorder);
    if (std::ranges::find(waiting, operation) != waiting.end()) return waiting.front() == operation;
  }
  return false;
}

/// Whether NCCL's own counts say that these, and no others, have launched other things on one communicator.
bool counted_apart(const JobFacts& job, const RankSet& members) {
  return std::ranges::any_of(job.unequal_communicators, [&](const SharedCommunicator& communicator) {
    RankSet sides;
    for (const auto& [rank, side] : communicator.sides) sides.insert(rank);
    return sides == members;
  });
}

/// None unless all members have called it and those that have not finished it wait.
std::optional<StuckCollective> stuck_in(const JobFacts& job, const PendingGroup& group) {
  if (!group.backend.starts_with("nccl")) return std::nullopt;
  const std::uint64_t sequence = group.first_pending();
  const std::set<int> members = members_of(job, group);
  StuckCollective found{&group, nullptr, {}, {}};
  for (const int member : members) {
    const auto latest = group.latest.find(member);
    if (latest == group.latest.end() || latest->second->sequence < sequence) return std::nullopt;
    const auto pending = group.pending.find(member);
    if (pending == group.pending.end() || pending->second->sequence > sequence) {
      found.finished.insert(member);
      continue;
    }
    const RankFacts* rank = job.rank(member);
    if (rank == nullptr || !is_oldest_of(*rank, pending->second)) return std::nullopt;
    found.operation = pending->second;
    found.unfinished.insert(member);
  }
  const bool all_wait = found.unfinished.minus(job.inside.united(job.device)).empty();
  const bool any_moved = found.unfinished.minus(job.moved).size() < found.unfinished.size();
  if (members.size() < 2 || found.operation == nullptr || !all_wait || any_moved) return std::nullopt;
  if (found.finished.empty() && counted_apart(job, found.unfinished)) return std::nullopt;
  return found;
}

/// The one that was called first: what stands behind it waits for it.
std::optional<StuckCollective> first_stuck(const JobFacts& job) {
  std::optional<StuckCollective> first;
  for (const PendingGroup& group : job.pending_groups) {
    const auto stuck = stuck_in(job, group);
    if (stuck && (!first || stuck->operation->created_unix_ns < first->operation->created_unix_ns)) first = stuck;
  }
  return first;
}

void advise(Verdict& verdict, const JobFacts& job) {
  const std::string whose = verdict.culprit_ranks.empty()
                                ? "what do the devices do"
                                : "what does the device of " + job.who(verdict.culprit_ranks) + " do";
  verdict.next_steps.push_back(
      {whose + "? a kernel that waits shows full utilisation at little power",
       "nvidia-smi --query-gpu=index,utilization.gpu,power.draw,pcie.link.width.current,clocks.sm --format=csv"});
  verdict.next_steps.push_back({"has a driver or a link reported an error?", "dmesg -T | grep -iE 'xid|nvlink|mlx'"});
  verdict.verification.emplace_back("the same collective is unfinished in a sample minutes later");
  verdict.verification.emplace_back("a longer timeout changes nothing: the collective does not move");
}

Verdict verdict_on(const JobFacts& job, const StuckCollective& stuck) {
  const std::string operation = operation_text(*stuck.group, *stuck.operation);
  Verdict verdict;
  verdict.pattern = "nccl_timeout";
  if (stuck.finished.empty()) {
    verdict.shape = "ended on no device";
    verdict.summary =
        fmt::format("All members of the group ({}) are in {}: the hosts have done their part, and no device ends it.",
                    job.who(stuck.unfinished), operation);
  } else {
    verdict.shape = "not ended on some devices";
    verdict.culprit_ranks = stuck.unfinished;
    verdict.summary = fmt::format("{} finished {}; {} not, though all called it: the device stands still.",
                                  job.subject(stuck.finished, "has", "have"), operation,
                                  job.who(stuck.unfinished) + (stuck.unfinished.size() == 1 ? " has" : " have"));
  }
  argue_by_records(verdict, job, stuck.unfinished);
  if (!stuck.finished.empty())
    verdict.against.emplace_back("a blocked watchdog does not note that a collective has ended");
  advise(verdict, job);
  return verdict;
}

}  // namespace

Ruling judge_nccl_timeout(const JobFacts& job) {
  if (job.records_alone()) return judge_timeout_by_records(job);
  if (job.pending_groups.empty()) return {{}, {}, "no flight recorder has an unfinished collective"};
  const auto stuck = first_stuck(job);
  if (!stuck)
    return {{},
            {},
            "no collective of NCCL has been called by all members of its group, which all wait, and is the "
            "oldest of each"};
  return {verdict_on(job, *stuck),
          {{"network_fault", Confidence::possible, "a port or link that stands still looks the same from here"},
           {"gpu_kernel_stall", Confidence::possible,
            "a kernel that is no communication may stand before it on one of the devices"}},
          fmt::format("all members have called #{} of group \"{}\", and {} not finished it", stuck->operation->sequence,
                      stuck->group->name, job.subject(stuck->unfinished, "has", "have"))};
}

}  // namespace hangstack::classifiers
