// cross_group_order: two groups with common ranks are used in opposite order. One side waits in a collective of the
// first group, the other in one of the second, and neither has begun the other's.
//
// Evidence: the ranks' flight recorders (what each has begun in which group), stacks and the kernel's counters. Cannot
// know: which order is the right one; the smaller side is named, both if none is smaller.

#include <fmt/format.h>

#include <algorithm>

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

Verdict verdict_on(const JobFacts& job, const Crossing& crossing) {
  const RankSet waiting = crossing.in_first.united(crossing.in_second);
  Verdict verdict;
  verdict.pattern = "cross_group_order";
  verdict.shape = "two groups in opposite order";
  const std::size_t first = crossing.in_first.size();
  const std::size_t second = crossing.in_second.size();
  verdict.culprit_ranks = first == second ? waiting : first < second ? crossing.in_first : crossing.in_second;
  verdict.summary = fmt::format("{} in {}; {} in {}; neither has begun the other's.",
                                job.subject(crossing.in_first, "is", "are"), pending_text(*crossing.first),
                                job.subject(crossing.in_second, "is", "are"), pending_text(*crossing.second));
  argue_by_records(verdict, job, waiting);
  verdict.next_steps.push_back(
      {"where do the two orders come from? the whole stacks", at_ranks(job, waiting, "--full")});
  verdict.verification.emplace_back("every rank uses the groups that it shares with others in one order");
  return verdict;
}

}  // namespace

Ruling judge_cross_group_order(const JobFacts& job) {
  if (job.pending_groups.size() < 2)
    return {{}, {}, "not two groups have an unfinished collective in a flight recorder"};
  const auto crossing = crossing_in(job);
  if (!crossing) return {{}, {}, "no two groups wait for each other's ranks"};
  return {verdict_on(job, *crossing),
          {},
          fmt::format("{} in group \"{}\" and {} in group \"{}\" wait for each other", job.who(crossing->in_first),
                      crossing->first->name, job.who(crossing->in_second), crossing->second->name)};
}

}  // namespace hangstack::classifiers
