// not_hung: the job moves.
//
// Evidence: every rank whose movement is known moved between the samples, and not merely within the same functions,
// unless operations were carried out meanwhile; or some moved, and among them ranks that take part in the pending
// operation, so operations complete. Movement is of stacks, of the kernel's counters, or of the flight recorders.
// Ranks that move outside an operation that their peers wait in are host_straggler's. Cannot know: whether the work
// that moves is useful (a livelock moves too).

#include <fmt/format.h>

#include <algorithm>

#include "classifiers/evidence/observations.h"
#include "classifiers/patterns/pattern.h"
#include "model/duration.h"

namespace hangstack::classifiers {
namespace {

using model::Confidence;
using model::Hung;
using model::RankSet;
using model::Verdict;

/// Ranks whose process has moved in this way.
RankSet ranks_with(const JobFacts& job, bool ProcessFacts::* movement) {
  RankSet ranks;
  for (const auto& rank : job.ranks)
    if (rank.process->*movement) ranks.insert(rank.number);
  return ranks;
}

Verdict moving(const JobFacts& job, Confidence confidence, std::string shape) {
  Verdict verdict;
  verdict.hung = Hung::no;
  verdict.pattern = "not_hung";
  verdict.shape = std::move(shape);
  verdict.confidence = confidence;
  verdict.summary = job.single()
                        ? "The process moved between the samples."
                        : fmt::format("{} of {} ranks moved between the samples.", job.moved.size(), job.ranks.size());
  const RankSet progressed = ranks_with(job, &ProcessFacts::recorded_progress);
  if (!progressed.empty()) {
    verdict.observations.push_back({"collectives ended or began between the samples", progressed, "flight recorder"});
  }
  const RankSet launched = ranks_with(job, &ProcessFacts::launched_more).minus(progressed);
  if (!launched.empty()) {
    verdict.observations.push_back({"launched collectives between the samples", launched, "NCCL's memory"});
  }
  if (const RankSet others = job.moved.minus(progressed).minus(launched); !others.empty()) {
    verdict.observations.push_back({fmt::format("another stack, or the clocks of a running thread went on, within {}",
                                                model::duration(job.span_s)),
                                    others, "stacks and kernel counters"});
  }
  append(verdict.observations, places_of(job, job.moved));
  if (!job.unmoved.empty()) {
    verdict.against.push_back(fmt::format("{} did not move", job.who(job.unmoved)));
  }
  for (auto& doubt : doubts(job)) verdict.against.push_back(std::move(doubt));
  verdict.next_steps.push_back({"slow rather than hung? see where the time goes", again(job, "--samples 10 --gap 1")});
  verdict.verification.emplace_back("the step counter of the job's log goes on");
  return verdict;
}

/// Ranks in which a thread ran that runs only to carry out an operation of the group: gloo's workers sleep without a
/// time limit until there is one.
RankSet with_operations_between(const JobFacts& job) {
  RankSet ranks;
  for (const auto& rank : job.ranks) {
    const auto& threads = rank.process->threads;
    const bool worked = std::any_of(threads.begin(), threads.end(), [](const ThreadFacts& thread) {
      return (thread.gloo || thread.role.name == "gloo worker") && thread.movement.moved.value_or(false);
    });
    if (worked) ranks.insert(rank.number);
  }
  return ranks;
}

/// It moves, but never out of the functions that it is in: a loop that may not end.
bool only_circles(const JobFacts& job) {
  return std::all_of(job.moved.ranks().begin(), job.moved.ranks().end(), [&](int n) {
    const auto& process = *job.rank(n)->process;
    return process.same_place && process.state().kind == StateKind::running;
  });
}

}  // namespace

Ruling judge_not_hung(const JobFacts& job) {
  if (job.samples < 2) return {{}, {}, "one sample: movement is not known"};
  if (job.moved.empty()) return {{}, {}, "no rank moved"};
  const RankSet known = job.moved.united(job.unmoved);
  if (job.moved == known) {
    Verdict verdict = moving(job, Confidence::likely, "all ranks move");
    const RankSet operating = with_operations_between(job);
    if (!operating.empty()) {
      verdict.observations.push_back(
          {"a gloo worker thread carried out operations between the samples", operating, "kernel counters"});
    }
    if (only_circles(job) && !job.moved.minus(operating).empty()) {
      verdict.hung = Hung::undecided;
      verdict.confidence = Confidence::possible;
      verdict.shape = "runs within the same functions";
      verdict.against.emplace_back("the same functions in every sample: a loop that never ends would look like this");
    }
    return {verdict, {}, fmt::format("{} moved, no rank stood still", job.who(job.moved))};
  }
  // Of a wait for the device only the records say what it is for.
  RankSet inside = job.inside;
  for (const int n : job.device.ranks())
    if (job.rank(n)->process->pending_s || job.rank(n)->process->recorded_progress) inside.insert(n);
  const RankSet inside_moving = inside.minus(inside.minus(job.moved));
  // A rank that has just arrived in the operation moved as well: it does not show that operations complete.
  const bool others_stand_outside = !job.outside.united(job.device).minus(job.moved).empty();
  if (inside_moving.size() * 2 > inside.size() || (!inside_moving.empty() && !others_stand_outside)) {
    return {moving(job, Confidence::likely, "operations complete"),
            {},
            fmt::format("{} moved and takes part in the pending operation", job.who(inside_moving))};
  }
  if (job.inside.empty() && job.device.empty()) {
    return {moving(job, Confidence::possible, "some ranks move"),
            {},
            fmt::format("{} moved and nobody waits for peers", job.who(job.moved))};
  }
  return {{},
          {},
          fmt::format("{} moved, but outside what {} waits in", job.who(job.moved),
                      job.who(job.inside.united(job.device)))};
}

}  // namespace hangstack::classifiers
