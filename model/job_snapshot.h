#pragma once
// Everything that is judged together: the processes of a run over all their samples, and what else was told of them.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "model/error.h"
#include "model/identity.h"
#include "model/logs.h"
#include "model/ras.h"
#include "model/snapshot.h"

namespace hangstack::model {

/// One process over all its samples, oldest first; never empty.
struct ProcessHistory {
  std::vector<ProcessSnapshot> samples;

  [[nodiscard]] const ProcessSnapshot& last() const { return samples.back(); }
  friend bool operator==(const ProcessHistory&, const ProcessHistory&) = default;
};

/// A pid that the user named, or discovery found, and that gave no capture.
struct FailedProcess {
  std::string host;
  std::int32_t pid = 0;
  RankIdentity identity;  ///< as far as /proc told before the failure
  char kernel_state = '?';
  Error error;

  friend bool operator==(const FailedProcess&, const FailedProcess&) = default;
};

/// A rank of a sampled job, on a host that was looked at, that the user's choice of pids left out.
struct LeftOut {
  std::string host;
  std::int32_t pid = 0;
  int rank = 0;
  std::string job_key;  ///< as in RankIdentity

  friend bool operator==(const LeftOut&, const LeftOut&) = default;
};

/// Everything that is judged together: all processes of all jobs of this run.
struct JobSnapshot {
  std::vector<ProcessHistory> processes;
  std::vector<FailedProcess> failed;
  std::vector<LeftOut> left_out;
  double gap_s = 0;                            ///< between two samples
  std::map<std::string, std::string> sources;  ///< text of the users' Python files by path, as far as it was read
  std::vector<RasRecord> ras;                  ///< one for each job of each host that was asked
  std::vector<CallLog> call_logs;              ///< ascending by group, then rank
  std::vector<LogEvent> logs;                  ///< by time, then in the order of files and lines

  friend bool operator==(const JobSnapshot&, const JobSnapshot&) = default;
};

}  // namespace hangstack::model
