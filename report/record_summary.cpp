#include "report/record_summary.h"

#include <utility>

namespace hangstack::report {
namespace {

using model::RecordStatus;

/// Of what `sources` of a process, each with its `name`, could be read: one of any rank is enough for "ok".
template <typename Source>
RecordSummary summary_of(const std::vector<RankProcess>& ranks, std::vector<Source> model::ProcessSnapshot::* sources,
                         std::string Source::* name, std::string why_absent) {
  RecordSummary summary{RecordStatus::absent, std::move(why_absent)};
  for (const auto& [rank, process] : ranks) {
    for (const Source& source : process->*sources) {
      if (source.status == RecordStatus::ok) return {RecordStatus::ok, ""};
      summary = {source.status, source.*name + ": " + source.reason};
    }
  }
  return summary;
}

}  // namespace

std::vector<RankProcess> rank_processes(const model::Job& job, const ProcessIndex& index) {
  std::vector<RankProcess> found;
  for (const auto& row : job.ranks) {
    const auto* process = index.process(row);
    if (process != nullptr && row.role == model::Role::rank) found.push_back({row.rank, process});
  }
  return found;
}

RecordSummary flight_recorder_summary(const std::vector<RankProcess>& ranks) {
  return summary_of(ranks, &model::ProcessSnapshot::flight_recorders, &model::FlightRecorder::place,
                    "no rank has one: not PyTorch 2.4 or later, or its libraries have no .symtab");
}

RecordSummary communicators_summary(const std::vector<RankProcess>& ranks) {
  return summary_of(ranks, &model::ProcessSnapshot::nccl_libraries, &model::NcclLibrary::name,
                    "no rank has loaded NCCL");
}

std::string_view operation_state(const model::RecordedOperation& operation) {
  if (operation.finished()) return "completed";
  return operation.started_unix_ns ? "started" : "scheduled";
}

}  // namespace hangstack::report
