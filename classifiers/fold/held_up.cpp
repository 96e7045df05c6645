#include "classifiers/fold/held_up.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

namespace hangstack::classifiers {
namespace {

using model::RankSet;
using model::RecordedOperation;

/// Whether each member needs something from each (names of torch/csrc/distributed/c10d, 2.4 to 2.15). Of an all_to_all
/// some may exchange nothing.
bool needs_all(std::string_view name) {
  static constexpr auto kNames =
      std::to_array<std::string_view>({"all_reduce", "allreduce", "allreduce_coalesced", "all_gather", "allgather",
                                       "_all_gather_base", "all_gather_into_tensor_coalesced", "reduce_scatter",
                                       "_reduce_scatter_base", "reduce_scatter_tensor_coalesced", "barrier"});
  return std::ranges::find(kNames, name) != kNames.end();
}

const RecordedOperation* first_of(const PendingGroup& group) {
  const std::uint64_t first = group.first_pending();
  const auto found = std::ranges::find_if(group.pending, [&](const auto& at) { return at.second->sequence == first; });
  return found->second;
}

/// Sends and receives share the counter: where those that wait show another count than their entries, it says nothing.
bool counts_collectives(const PendingGroup& group) {
  return std::ranges::all_of(group.pending, [&](const auto& at) {
    const auto counted = group.enqueued.find(at.first);
    return counted != group.enqueued.end() &&
           counted->second == static_cast<std::int64_t>(group.latest.at(at.first)->sequence);
  });
}

bool is_behind(const PendingGroup& group, const RankFacts& rank, bool counted) {
  const std::uint64_t first = group.first_pending();
  if (const auto latest = group.latest.find(rank.number); latest != group.latest.end())
    return latest->second->sequence < first;
  if (const auto began = group.enqueued.find(rank.number); began != group.enqueued.end())
    return counted && began->second < static_cast<std::int64_t>(first);
  return std::ranges::none_of(rank.process->last().flight_recorders, &model::FlightRecorder::forgot);
}

RankSet ranks_in(const std::map<int, const RecordedOperation*>& operations) {
  RankSet ranks;
  for (const auto& [rank, operation] : operations) ranks.insert(rank);
  return ranks;
}

/// Up to which number some member has finished; none if nobody shows it.
std::optional<std::uint64_t> finished_up_to(const PendingGroup& group) {
  std::optional<std::uint64_t> most;
  for (const auto& [rank, latest] : group.latest) {
    const auto pending = group.pending.find(rank);
    const std::uint64_t own = pending == group.pending.end() ? latest->sequence : pending->second->sequence - 1;
    most = std::max(most.value_or(0), own);
  }
  return most;
}

}  // namespace

bool has_unfinished(const ProcessFacts& process) {
  return std::ranges::any_of(process.last().flight_recorders, [](const model::FlightRecorder& recorder) {
    return !model::unfinished(recorder.operations).empty();
  });
}

std::vector<HeldUp> not_begun(const JobFacts& job) {
  std::vector<HeldUp> found;
  for (const PendingGroup& group : job.pending_groups) {
    const bool counted = counts_collectives(group);
    RankSet behind;
    for (const RankFacts& rank : job.ranks) {
      const int n = rank.number;
      const bool member = group.has_member(n) || (group.members.empty() && group.enqueued.contains(n));
      if (member && !group.pending.contains(n) && is_behind(group, rank, counted)) behind.insert(n);
    }
    if (!behind.empty()) found.push_back({&group, first_of(group), ranks_in(group.pending), behind});
  }
  return found;
}

std::vector<HeldUp> not_finished(const JobFacts& job) {
  std::vector<HeldUp> found;
  for (const PendingGroup& group : job.pending_groups) {
    const auto finished = finished_up_to(group);
    RankSet behind;
    for (const auto& [rank, operation] : group.pending)
      if (finished && operation->sequence <= *finished && needs_all(operation->name)) behind.insert(rank);
    if (behind.empty() || behind.size() * 2 > group.latest.size()) continue;
    found.push_back({&group, group.pending.at(*behind.ranks().begin()), ranks_in(group.latest).minus(behind), behind});
  }
  return found;
}

std::vector<HeldUp> without_member(const JobFacts& job) {
  std::vector<HeldUp> found;
  for (const PendingGroup& group : job.pending_groups) {
    RankSet missing;
    bool all_wait = true;
    for (const int member : group.members) {
      if (job.rank(member) == nullptr) missing.insert(member);
      const auto pending = group.pending.find(member);
      all_wait = all_wait && (job.rank(member) == nullptr ||
                              (pending != group.pending.end() && pending->second->sequence == group.first_pending()));
    }
    if (!missing.empty() && all_wait) found.push_back({&group, first_of(group), ranks_in(group.pending), missing});
  }
  return found;
}

}  // namespace hangstack::classifiers
