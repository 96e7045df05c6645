#pragma once
// What the ranks' flight recorders say together. Operations are joined by their group's name and sequence number, never
// by how many there are: a ring forgets.

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "classifiers/fold/facts.h"
#include "model/records.h"

namespace hangstack::classifiers {

/// One group over the ranks whose recorders know it. Points into the processes.
struct RecordedGroup {
  std::string backend;
  std::string name;
  std::string description;
  std::map<int, const model::RecordedOperation*> pending;  ///< the first unfinished collective of each rank
  std::map<int, const model::RecordedOperation*> latest;   ///< the last collective that each rank recorded
  std::set<int> members;                                   ///< as the recorders list them; empty if they do not

  /// The lowest sequence number that is unfinished; only for groups with pending operations.
  [[nodiscard]] std::uint64_t first_pending() const;
  /// Listed, or seen in it before.
  [[nodiscard]] bool has_member(int rank) const { return members.contains(rank) || latest.contains(rank); }
};

/// Ascending by backend and name; only groups in which a rank has something unfinished.
std::vector<RecordedGroup> pending_groups(const JobFacts& job);

/// "all_reduce #2 of group "0" (default_pg), [256] Float"
std::string operation_text(const RecordedGroup& group, const model::RecordedOperation& operation);

/// Who has which operation unfinished, and who recorded nothing behind an earlier one.
std::vector<model::Observation> recorded_operations(const JobFacts& job);

}  // namespace hangstack::classifiers
