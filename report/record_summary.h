#pragma once
// Whose records a job has, and whether they could be read.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/process_index.h"

namespace hangstack::report {

struct RankProcess {
  std::optional<int> rank;
  const model::ProcessSnapshot* process = nullptr;  ///< never null
};

/// The ranks of the job that gave a sample. Borrows the report.
std::vector<RankProcess> rank_processes(const model::Job& job, const ProcessIndex& index);

struct RecordSummary {
  model::RecordStatus status = model::RecordStatus::absent;
  std::string reason;  ///< why it is not ok
};

/// One recorder of any rank that could be read is enough for "ok".
RecordSummary flight_recorder_summary(const std::vector<RankProcess>& ranks);
/// The same for NCCL's communicators.
RecordSummary communicators_summary(const std::vector<RankProcess>& ranks);

/// "scheduled", "started", "completed".
std::string_view operation_state(const model::RecordedOperation& operation);

}  // namespace hangstack::report
