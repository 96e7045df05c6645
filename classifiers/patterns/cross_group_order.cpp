// cross_group_order: two groups with common ranks are used in opposite order. One side waits in a collective of the
// first group, the other in one of the second, and neither has begun the other's.
//
// Evidence: the ranks' flight recorders (what each has begun in which group), what NCCL counts for each communicator,
// stacks and the kernel's counters. Cannot know: which order is the right one; the smaller side is named, both if none
// is smaller.

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "classifiers/evidence/launched.h"
#include "classifiers/evidence/observations.h"
#include "classifiers/evidence/recorded.h"
#include "classifiers/patterns/pattern.h"

namespace hangstack::classifiers {
namespace {

using model::RankSet;
using model::Verdict;

/// Whether an operation that the rank's recorders do not hold may have been all the same.
bool forgot(const RankFacts* rank) {
  return rank == nullptr || std::ranges::any_of(rank->process->last().flight_recorders, &model::FlightRecorder::forgot);
}

/// Ranks that are in a collective of `group`, and are expected in the pending one of `other`, which they have not
/// begun.
RankSet absent_from(const JobFacts& job, const PendingGroup& other, const PendingGroup& group) {
  RankSet absent;
  const std::uint64_t awaited = other.first_pending();
  for (const auto& [rank, operation] : group.pending) {
    if (other.pending.contains(rank) || !other.has_member(rank)) continue;
    const auto latest = other.latest.find(rank);
    const bool behind = latest == other.latest.end() ? !forgot(job.rank(rank)) : latest->second->sequence < awaited;
    if (behind) absent.insert(rank);
  }
  return absent;
}

struct Crossing {
  const PendingGroup* first = nullptr;
  const PendingGroup* second = nullptr;
  RankSet in_first;   ///< and not in the second
  RankSet in_second;  ///< and not in the first
};

std::optional<Crossing> crossing_in(const JobFacts& job) {
  const std::vector<PendingGroup>& groups = job.pending_groups;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    for (std::size_t j = i + 1; j < groups.size(); ++j) {
      Crossing found{&groups[i], &groups[j], absent_from(job, groups[j], groups[i]),
                     absent_from(job, groups[i], groups[j])};
      if (!found.in_first.empty() && !found.in_second.empty()) return found;
    }
  }
  return std::nullopt;
}

std::string pending_text(const PendingGroup& group) { return operation_text(group, *group.pending.begin()->second); }

/// What all such verdicts share.
void conclude(Verdict& verdict, const JobFacts& job, const RankSet& in_first, const RankSet& in_second) {
  const RankSet waiting = in_first.united(in_second);
  verdict.pattern = "cross_group_order";
  verdict.shape = "two groups in opposite order";
  const std::size_t first = in_first.size();
  const std::size_t second = in_second.size();
  verdict.culprit_ranks = first == second ? waiting : first < second ? in_first : in_second;
  argue_by_records(verdict, job, waiting);
  verdict.next_steps.push_back({"where do the two orders come from? the whole stacks",
                                fmt::format("hangstack {} --full", pids_option(job, waiting))});
  verdict.verification.emplace_back("every rank uses the groups that it shares with others in one order");
  verdict.reference = "docs/verdicts.md#cross_group_order";
}

Verdict verdict_on(const JobFacts& job, const Crossing& crossing) {
  Verdict verdict;
  verdict.summary = fmt::format("{} in {}; {} in {}; neither has begun the other's.",
                                job.subject(crossing.in_first, "is", "are"), pending_text(*crossing.first),
                                job.subject(crossing.in_second, "is", "are"), pending_text(*crossing.second));
  conclude(verdict, job, crossing.in_first, crossing.in_second);
  return verdict;
}

/// How many collectives a rank that waits has launched on two communicators.
struct LaunchedOnBoth {
  int rank = 0;
  std::uint64_t on_first = 0;
  std::uint64_t on_second = 0;
};

/// Ascending by the first.
std::vector<LaunchedOnBoth> launched_on_both(const JobFacts& job, const SharedCommunicator& first,
                                             const SharedCommunicator& second) {
  std::vector<LaunchedOnBoth> found;
  for (const auto& [rank, side] : first.sides) {
    const auto other = second.sides.find(rank);
    const bool waits = (job.inside.contains(rank) || job.device.contains(rank)) && !job.moved.contains(rank);
    if (waits && other != second.sides.end())
      found.push_back({rank, side->launched_in_all(), other->second->launched_in_all()});
  }
  std::ranges::stable_sort(found, {}, &LaunchedOnBoth::on_first);
  return found;
}

/// Ranks that are ahead of another one on the first communicator and behind the same one on the second. Ranks that
/// launch in one order are never both.
RankSet ahead_and_behind(const std::vector<LaunchedOnBoth>& ascending) {
  RankSet found;
  std::uint64_t most_of_fewer = 0;  // on the second, of those with fewer on the first
  std::uint64_t most_so_far = 0;
  for (std::size_t i = 0; i < ascending.size(); ++i) {
    if (i > 0 && ascending[i].on_first > ascending[i - 1].on_first) most_of_fewer = most_so_far;
    if (ascending[i].on_second < most_of_fewer) found.insert(ascending[i].rank);
    most_so_far = std::max(most_so_far, ascending[i].on_second);
  }
  return found;
}

struct LaunchedCrosswise {
  const SharedCommunicator* first = nullptr;
  const SharedCommunicator* second = nullptr;
  RankSet in_first;
  RankSet in_second;
};

std::optional<LaunchedCrosswise> launched_crosswise(const JobFacts& job) {
  const std::vector<SharedCommunicator>& all = job.unequal_communicators;
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t j = i + 1; j < all.size(); ++j) {
      LaunchedCrosswise found{&all[i], &all[j], ahead_and_behind(launched_on_both(job, all[i], all[j])),
                              ahead_and_behind(launched_on_both(job, all[j], all[i]))};
      const bool apart = found.in_first.minus(found.in_second).size() == found.in_first.size();
      if (!found.in_first.empty() && !found.in_second.empty() && apart) return found;
    }
  }
  return std::nullopt;
}

Ruling judge_launches(const JobFacts& job, std::string why_not) {
  const auto crossing = launched_crosswise(job);
  if (!crossing) return {{}, {}, std::move(why_not)};
  Verdict verdict;
  verdict.summary = fmt::format("{} ahead of {} on {}, and behind on {}.", job.subject(crossing->in_first, "is", "are"),
                                job.who(crossing->in_second), communicator_text(*crossing->first),
                                communicator_text(*crossing->second));
  conclude(verdict, job, crossing->in_first, crossing->in_second);
  return {verdict,
          {},
          fmt::format("{} and {} launched on two communicators in opposite order", job.who(crossing->in_first),
                      job.who(crossing->in_second))};
}

}  // namespace

Ruling judge_cross_group_order(const JobFacts& job) {
  if (job.pending_groups.size() < 2)
    return judge_launches(job, "not two groups have an unfinished collective in a flight recorder");
  const auto crossing = crossing_in(job);
  if (!crossing) return judge_launches(job, "no two groups wait for each other's ranks");
  return {verdict_on(job, *crossing),
          {},
          fmt::format("{} in group \"{}\" and {} in group \"{}\" wait for each other", job.who(crossing->in_first),
                      crossing->first->name, job.who(crossing->in_second), crossing->second->name)};
}

}  // namespace hangstack::classifiers
