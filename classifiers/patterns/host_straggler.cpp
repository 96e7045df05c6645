// host_straggler: peers wait in an operation; a rank is before its call of it, and moves or waits in something named.
//
// Evidence: stacks (who is inside, who is not, program order on the common path) and the kernel's counters (who did
// not run, for how long). Cannot know: whether the operation is one that the outsider belongs to (groups are not in
// the stacks), which iteration of a loop a rank is in, and the cause behind the place.

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "classifiers/evidence/children.h"
#include "classifiers/evidence/observations.h"
#include "classifiers/patterns/name_by_place.h"
#include "classifiers/patterns/outsiders.h"
#include "classifiers/patterns/pattern.h"

namespace hangstack::classifiers {
namespace {

using model::Alternative;
using model::Confidence;
using model::Hung;
using model::RankSet;
using model::Verdict;

/// Work that ends by itself, if it moves. A loop that calls other functions may go on for ever, too: once its peers
/// have waited long, running is no sign that it arrives.
bool makes_progress(const ProcessFacts& process, bool peers_waited_long) {
  const StateKind kind = process.state().kind;
  if (kind == StateKind::compile || kind == StateKind::import) return true;
  return !peers_waited_long && (!process.same_place || kind != StateKind::running);
}

bool all_progress(const JobFacts& job, const RankSet& waiting, const RankSet& culprits) {
  const bool peers_waited_long = job.least_sleep(waiting).value_or(0) >= kLeastAge_s;
  for (const int n : culprits.ranks()) {
    const auto& process = *job.rank(n)->process;
    if (!process.moved.value_or(false) || !makes_progress(process, peers_waited_long)) return false;
  }
  return !culprits.empty();
}

bool any_napped(const JobFacts& job, const RankSet& culprits) {
  return std::ranges::any_of(culprits.ranks(), [&](int n) { return job.rank(n)->process->napped; });
}

bool any_in(const JobFacts& job, const RankSet& set, StateKind kind) {
  return std::ranges::any_of(set.ranks(), [&](int n) { return job.rank(n)->state().kind == kind; });
}

bool any_moved(const JobFacts& job, const RankSet& culprits) {
  return culprits.minus(job.moved).size() < culprits.size();
}

/// All of them have recorded earlier operations of a group whose operation others wait in.
bool recorded_in_pending_group(const JobFacts& job, const RankSet& culprits) {
  return std::ranges::any_of(job.pending_groups, [&](const PendingGroup& group) {
    return std::ranges::all_of(culprits.ranks(), [&](int n) { return group.latest.contains(n); });
  });
}

/// Those that stand still hold the job up; only if all move are they all to blame. One that waits for a lock may wait
/// for one that builds.
RankSet culprits_of(const JobFacts& job, const RankSet& late) {
  const RankSet still = late.minus(job.moved);
  const bool builds = any_in(job, late.minus(still), StateKind::compile) && any_in(job, still, StateKind::lock);
  return still.empty() || builds ? late : still;
}

/// "asleep outside all_reduce", "in a dataloader wait outside all_reduce"
std::string shape_of(const JobFacts& job, const RankSet& culprits) {
  const StateKind kind = job.rank(*culprits.ranks().begin())->state().kind;
  const std::string operation = job.operations.empty() ? "the device wait" : job.operations.front().title;
  if (kind == StateKind::sleep) return "asleep outside " + operation;
  if (kind == StateKind::running) return "running outside " + operation;
  return fmt::format("in {} outside {}", state_noun(kind), operation);
}

void decide(Verdict& verdict, const JobFacts& job, const Outsiders& split, const RankSet& culprits) {
  if (all_progress(job, split.waiting, culprits)) {
    verdict.hung = Hung::no;
    return;
  }
  if (any_moved(job, culprits)) {
    verdict.hung = Hung::undecided;
    verdict.since_s = job.stuck_for(split.waiting);
    verdict.against.emplace_back("it runs: it may still arrive, or be in a loop that never ends");
    return;
  }
  const RankSet all = split.waiting.united(culprits);
  const bool by_peers = !job.stuck_for(all) && culprits.minus(job.unmoved).empty();
  decide_hung(verdict, job, by_peers ? split.waiting : all);
  if (doubt_by_child(verdict, job, culprits)) return;
  if (all_serve(job, culprits)) {
    verdict.hung = Hung::undecided;
    verdict.confidence = Confidence::possible;
    verdict.against.emplace_back(
        "it waits for requests: an idle server, whose other ranks wait for the next one, looks so");
    return;
  }
  if (any_napped(job, culprits)) {
    verdict.against.emplace_back("it wakes and waits again at the same place: a loop of retries may end by itself");
  } else if (any_in(job, culprits, StateKind::sleep)) {
    verdict.against.emplace_back("a sleep ends by itself: it may still arrive");
  }
}

std::vector<Alternative> alternatives_of(const JobFacts& job, const Outsiders& split) {
  std::vector<Alternative> out;
  out.push_back({"asymmetric_control_flow", Confidence::possible,
                 split.past.empty() ? "if its peers never pass where it stands, it is on a branch of its own: their "
                                      "stacks do not show where they came from"
                                    : fmt::format("{} is beyond the call: a rank that skipped it, or one that is an "
                                                  "iteration behind",
                                                  job.who(split.past))});
  if (const RankSet untraced = job.untraced(); !untraced.empty()) {
    out.push_back({"rank_died", Confidence::possible,
                   fmt::format("{} not seen here: it may hold the job up too", job.who(untraced))});
  }
  return out;
}

}  // namespace

Ruling judge_host_straggler(const JobFacts& job) {
  if (job.records_alone()) return judge_straggler_by_records(job);
  const Outsiders split = outsiders_of(job);
  if (split.waiting.empty()) return {{}, {}, "no rank waits for peers"};
  if (job.outside.empty()) return {{}, {}, "no rank is outside the operation"};
  if (split.late.empty()) return {{}, {}, fmt::format("{} is beyond the call, not before it", job.who(split.past))};
  const RankSet culprits = culprits_of(job, split.late);
  Verdict verdict;
  verdict.pattern = "host_straggler";
  verdict.culprit_ranks = culprits;
  verdict.confidence = confidence_in(job, split, culprits);
  decide(verdict, job, split, culprits);
  verdict.shape = shape_of(job, culprits);
  verdict.summary =
      fmt::format("{} in {}; {}: {} {}.", job.subject(split.waiting, "wait"), split.operation,
                  job.subject(culprits, "has not come there", "have not come there"),
                  culprits.size() == 1 ? "it" : "the first of them", doing(job, *culprits.ranks().begin()));
  observe_split(verdict, job, split, culprits);
  if (const auto step = with_children(job, culprits)) verdict.next_steps.push_back(*step);
  verdict.next_steps.push_back(
      {"why is it there? its whole stack, in several samples", at_ranks(job, culprits, "--full --samples 3 --gap 30")});
  if (verdict.hung != Hung::yes || !verdict.against.empty()) {
    verdict.next_steps.push_back({"does it ever arrive?", again(job, "--samples 3 --gap 30")});
  }
  verdict.verification.push_back(fmt::format("{} reaches {} and all ranks move", job.who(culprits), split.operation));
  if (!recorded_in_pending_group(job, culprits))
    verdict.verification.emplace_back(
        "that it belongs to the group of this operation: stacks do not show the members of a group");
  name_by_place(verdict, job, split, culprits);
  return {verdict, alternatives_of(job, split),
          fmt::format("{} outside while {} wait(s) in {}", job.who(culprits), job.who(split.waiting), split.operation)};
}

}  // namespace hangstack::classifiers
