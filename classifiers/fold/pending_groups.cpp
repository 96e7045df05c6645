#include "classifiers/fold/pending_groups.h"

#include <algorithm>
#include <tuple>

#include "classifiers/fold/facts.h"

namespace hangstack::classifiers {
namespace {

using model::RecordedOperation;

void add_operation(PendingGroup& group, int rank, const RecordedOperation& operation) {
  if (operation.point_to_point) return;
  const RecordedOperation*& latest = group.latest[rank];
  if (latest == nullptr || operation.sequence >= latest->sequence) latest = &operation;
  if (operation.finished()) return;
  const RecordedOperation*& pending = group.pending[rank];
  if (pending == nullptr || operation.sequence < pending->sequence) pending = &operation;
}

void add_members(PendingGroup& group, const model::FlightRecorder& recorder) {
  if (!group.members.empty()) return;
  const auto listed = std::ranges::find(recorder.groups, group.name, &model::RecordedGroup::name);
  if (listed == recorder.groups.end()) return;
  for (const std::uint64_t rank : listed->ranks) group.members.insert(static_cast<int>(rank));
}

}  // namespace

std::uint64_t PendingGroup::first_pending() const {
  std::uint64_t first = pending.begin()->second->sequence;
  for (const auto& [rank, operation] : pending) first = std::min(first, operation->sequence);
  return first;
}

std::vector<PendingGroup> pending_groups_of(const std::vector<RankFacts>& ranks) {
  std::map<std::tuple<std::string, std::string>, PendingGroup> groups;
  for (const RankFacts& rank : ranks) {
    for (const auto& recorder : rank.process->last().flight_recorders) {
      for (const RecordedOperation& operation : recorder.operations) {
        PendingGroup& group = groups[{operation.backend, operation.group}];
        group.backend = operation.backend;
        group.name = operation.group;
        if (group.description.empty()) group.description = operation.group_description;
        add_operation(group, rank.number, operation);
        add_members(group, recorder);
      }
    }
  }
  std::vector<PendingGroup> pending;
  for (auto& [key, group] : groups)
    if (!group.pending.empty()) pending.push_back(std::move(group));
  return pending;
}

}  // namespace hangstack::classifiers
