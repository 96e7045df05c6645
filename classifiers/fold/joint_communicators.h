#pragma once
// Communicators of NCCL that ranks of several jobs share: a trainer that sends its weights to the workers of another
// job. Each job keeps its own rank numbers.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "model/communicators.h"

namespace hangstack::classifiers {

struct JobFacts;
struct ProcessFacts;

/// A rank of another job.
struct RankElsewhere {
  std::string job;  ///< key of its job
  int rank = 0;     ///< there
  const ProcessFacts* process = nullptr;
  const model::Communicator* side = nullptr;
};

/// Seen from one of the jobs. Points into the processes.
struct JointCommunicator {
  std::uint64_t hash = 0;
  int ranks = 0;                                   ///< in all, seen or not
  std::map<int, const model::Communicator*> here;  ///< by the job's rank
  std::vector<RankElsewhere> elsewhere;            ///< by job, then rank

  /// The most that any side has launched. A side that has launched less is behind.
  [[nodiscard]] std::uint64_t most_launched() const;
};

/// Fills JobFacts::joint of each job, ascending by hash: by the processes' memory, without sides that were given up,
/// and only where each side has launched something (NCCL before 2.27 does not count).
void join_jobs(std::vector<JobFacts>& jobs);

}  // namespace hangstack::classifiers
