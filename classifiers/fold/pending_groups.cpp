#include "classifiers/fold/pending_groups.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "classifiers/fold/facts.h"
#include "classifiers/states/recorded_progress.h"

namespace hangstack::classifiers {
namespace {

using model::RecordedOperation;

/// As the recorder lists them; empty if it does not.
std::vector<std::uint64_t> members_in(const model::FlightRecorder& recorder, const std::string& group) {
  const model::RecordedGroup* listed = recorder.group_named(group);
  return listed == nullptr ? std::vector<std::uint64_t>{} : listed->ranks;
}

/// Ranks are joined by the members as well: PyTorch 2.8 gives the siblings of one split_group one name.
class Groups {
 public:
  void add(int rank, const model::FlightRecorder& recorder) {
    std::map<std::string, PendingGroup*> own;
    for (const RecordedOperation& operation : recorder.operations) {
      if (operation.carries_transfers()) continue;
      const RecordedOperation*& latest = group_of(operation, recorder, own).latest[rank];
      if (latest == nullptr || operation.sequence >= latest->sequence) latest = &operation;
    }
    for (const RecordedOperation* operation : unfinished_collectives(recorder)) {
      const RecordedOperation*& pending = group_of(*operation, recorder, own).pending[rank];
      if (pending == nullptr || operation->sequence < pending->sequence) pending = operation;
    }
  }

  /// Those of a rank that has no operation of the group in its recorder tell its backend as little as it does.
  void add_status(int rank, const model::FlightRecorder& recorder) {
    for (const model::RecordedGroupStatus& status : recorder.group_status) {
      if (status.group.empty()) continue;
      const auto members = members_in(recorder, status.group);
      PendingGroup* only = nullptr;
      int fitting = 0;
      for (auto& [key, group] : groups_) {
        if (std::get<1>(key) != status.group || std::get<2>(key) != members) continue;
        only = &group;
        ++fitting;
      }
      if (fitting == 1) only->enqueued[rank] = status.last_enqueued;
    }
  }

  std::vector<PendingGroup> pending() && {
    std::vector<PendingGroup> found;
    for (auto& [key, group] : groups_)
      if (!group.pending.empty()) found.push_back(std::move(group));
    return found;
  }

 private:
  PendingGroup& group_of(const RecordedOperation& operation, const model::FlightRecorder& recorder,
                         std::map<std::string, PendingGroup*>& own) {
    PendingGroup*& known = own[operation.backend + '\n' + operation.group];
    if (known != nullptr) return *known;
    const auto members = members_in(recorder, operation.group);
    PendingGroup& group = groups_[{operation.backend, operation.group, members}];
    group.backend = operation.backend;
    group.name = operation.group;
    if (group.description.empty()) group.description = operation.group_description;
    if (group.members.empty()) {
      for (const std::uint64_t member : members) group.members.insert(static_cast<int>(member));
    }
    known = &group;
    return group;
  }

  std::map<std::tuple<std::string, std::string, std::vector<std::uint64_t>>, PendingGroup> groups_;
};

}  // namespace

std::uint64_t PendingGroup::first_pending() const {
  std::uint64_t first = pending.begin()->second->sequence;
  for (const auto& [rank, operation] : pending) first = std::min(first, operation->sequence);
  return first;
}

std::vector<PendingGroup> pending_groups_of(const std::vector<RankFacts>& ranks) {
  Groups groups;
  for (const RankFacts& rank : ranks) {
    for (const auto& recorder : rank.process->last().flight_recorders) groups.add(rank.number, recorder);
  }
  for (const RankFacts& rank : ranks) {
    for (const auto& recorder : rank.process->last().flight_recorders) groups.add_status(rank.number, recorder);
  }
  return std::move(groups).pending();
}

}  // namespace hangstack::classifiers
