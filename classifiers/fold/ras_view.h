#pragma once
// What NCCL's RAS said, in the ranks of a job.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "classifiers/fold/shared_communicators.h"
#include "model/rank_set.h"
#include "model/ras.h"

namespace hangstack::classifiers {

struct RankFacts;

/// Of `records` those that were asked for one of `ranks`, with the job's rank of each process that is among them.
/// RAS names a process by the pid of its own namespace and its address: of several addresses with such a pid it is the
/// one with the most.
std::vector<model::RasRecord> ras_of(const std::vector<model::RasRecord>& records, const std::vector<RankFacts>& ranks);

/// Communicators that RAS tells of, as if each rank's memory had told: what it did not say counts as nothing. Without
/// those that were given up, and without sides of processes that were not sampled. The sides live in `storage`.
std::vector<SharedCommunicator> communicators_of(const std::vector<model::RasRecord>& records,
                                                 std::shared_ptr<std::vector<model::Communicator>>& storage);

/// A rank of which RAS and its memory say different counts.
struct CountsApart {
  std::uint64_t hash = 0;
  int rank = 0;
  std::string by_memory;  ///< "2 AllReduce"
  std::string by_ras;
};

/// Only counts that both told; a communicator of which memory counts nothing on any rank is not counted there. Memory
/// is older: a rank in `moved` may have launched more since.
std::vector<CountsApart> counts_apart(const std::vector<RankFacts>& ranks, const std::vector<model::RasRecord>& records,
                                      const model::RankSet& moved);

}  // namespace hangstack::classifiers
