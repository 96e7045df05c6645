#pragma once
// Process groups over the ranks, by their flight recorders. Operations are joined by their group's name, its members
// and the sequence number, never by how many there are: a ring forgets.

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "model/records.h"

namespace hangstack::classifiers {

struct RankFacts;

/// A group in which a rank has something unfinished. Points into the processes.
struct PendingGroup {
  std::string backend;
  std::string name;
  std::string description;
  std::map<int, const model::RecordedOperation*> pending;  ///< the first unfinished collective of each rank; not empty
  std::map<int, const model::RecordedOperation*> latest;   ///< the last collective that each rank recorded
  /// PyTorch's own count of the collectives that a rank began, where it is known which group it is of. One that also
  /// sends and receives in the group counts these in between.
  std::map<int, std::int64_t> enqueued;
  std::set<int> members;  ///< as the recorders list them; empty if they do not

  /// The lowest sequence number that is unfinished.
  [[nodiscard]] std::uint64_t first_pending() const;
  /// Listed, or seen in it before.
  [[nodiscard]] bool has_member(int rank) const { return members.contains(rank) || latest.contains(rank); }
};

/// Ascending by backend and name.
std::vector<PendingGroup> pending_groups_of(const std::vector<RankFacts>& ranks);

}  // namespace hangstack::classifiers
