#pragma once
// NCCL's communicators over the ranks of a job: joined by their hash, compared by what each side has launched.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "model/communicators.h"

namespace hangstack::classifiers {

struct RankFacts;

/// A communicator whose sides have not launched the same. Points into the processes.
struct SharedCommunicator {
  std::uint64_t hash = 0;
  std::string name;                                 ///< that the program gave it; empty: none
  int ranks = 0;                                    ///< in all, seen or not
  bool by_ras = false;                              ///< RAS told, not memory
  std::map<int, const model::Communicator*> sides;  ///< by the job's rank; at least two
};

/// Whether memory or RAS tells of different launches.
bool is_unequal(const SharedCommunicator& communicator);

/// Ascending by hash; without those that were given up, and those of which a process holds several sides. NCCL counts
/// from 2.27 on, older ones only for a profiler: where all sides count nothing, nothing differs.
std::vector<SharedCommunicator> unequal_communicators_of(const std::vector<RankFacts>& ranks);

}  // namespace hangstack::classifiers
