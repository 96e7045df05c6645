#include <fmt/format.h>

#include <string>
#include <vector>

#include "model/communicators.h"
#include "model/records.h"
#include "report/json/parts.h"
#include "report/record_summary.h"

namespace hangstack::report {
namespace {

using Layout = JsonWriter::Layout;
using model::RecordedOperation;

void write_tensors(JsonWriter& json, const RecordedOperation& operation) {
  json.key("sizes");
  json.begin_array();
  for (const auto* tensors : {&operation.inputs, &operation.outputs}) {
    json.begin_array();
    for (const auto& tensor : *tensors) {
      json.begin_array();
      for (const auto size : tensor.sizes) json.value(size);
      json.end_array();
    }
    json.end_array();
  }
  json.end_array();
  json.key("dtypes");
  json.begin_array();
  for (const auto* tensors : {&operation.inputs, &operation.outputs}) {
    json.begin_array();
    for (const auto& tensor : *tensors) json.value(tensor.dtype);
    json.end_array();
  }
  json.end_array();
}

void write_item(JsonWriter& json, std::optional<int> rank, const model::ProcessSnapshot& process,
                const model::FlightRecorder& recorder, const RecordedOperation& operation) {
  json.begin_object(Layout::one_line);
  json.member("rank", rank);
  json.member("pid", process.pid);
  json.member("backend", operation.backend);
  json.member("group", operation.group);
  json.member_or_null("group_description", operation.group_description);
  json.key("members");
  if (const auto* group = recorder.group_named(operation.group); group != nullptr) {
    json.begin_array();
    for (const auto member : group->ranks) json.value(member);
    json.end_array();
  } else {
    json.value(nullptr);
  }
  json.member("seq", operation.sequence);
  json.member("p2p_seq", operation.point_to_point_sequence);
  json.member("op", operation.name);
  write_tensors(json, operation);
  json.member("state", operation_state(operation));
  const std::int64_t age_ns = process.captured_at_unix_ns - operation.created_unix_ns;
  json.member("age_s", age_ns > 0 && operation.created_unix_ns > 0 ? std::optional(static_cast<double>(age_ns) / 1e9)
                                                                   : std::nullopt);
  json.member("timeout_ms", operation.timeout_ms);
  const model::RecordedFrame* site = operation.call_site();
  json.member_or_null("call_site", site == nullptr ? std::string() : site->file + ":" + std::to_string(site->line));
  json.key("frames");
  json.begin_array();
  for (const model::RecordedFrame& frame : operation.frames) {
    json.begin_object();
    json.member("function", frame.function);
    json.member("file", frame.file);
    json.member("line", frame.line == 0 ? std::nullopt : std::optional(frame.line));
    json.end_object();
  }
  json.end_array();
  json.end_object();
}

/// Up to the items, which its array is left open for.
void begin_collector(JsonWriter& json, const RecordSummary& summary, const std::vector<RankProcess>& ranks) {
  json.begin_object();
  json.member("status", model::record_status_name(summary.status));
  json.member_or_null("reason", summary.reason);
  constexpr std::int64_t kNsPerSecond = 1'000'000'000;
  const std::int64_t read_at = ranks.empty() ? 0 : ranks.front().process->captured_at_unix_ns;
  json.member_or_null("read_at", read_at == 0 ? std::string() : rfc3339(read_at / kNsPerSecond));
  json.key("items");
  json.begin_array();
}

void write_communicator(JsonWriter& json, std::optional<int> rank, const model::ProcessSnapshot& process,
                        const model::Communicator& communicator) {
  json.begin_object(Layout::one_line);
  json.member("rank", rank);
  json.member("pid", process.pid);
  json.member("hash", fmt::format("{:#x}", communicator.hash));
  json.member_or_null("name", communicator.name);
  json.member("communicator_rank", communicator.rank);
  json.member("nranks", communicator.ranks);
  json.member("device", communicator.device);
  json.member("bus_id", fmt::format("{:#x}", communicator.bus_id));
  json.key("seq");
  json.begin_object();
  for (std::size_t i = 0; i < communicator.launched.size(); ++i)
    json.member(model::kNcclCollectives[i], communicator.launched[i]);
  json.end_object();
  json.member("async_error", communicator.async_error);
  json.member("init_state", communicator.init_state);
  json.member("aborted", communicator.aborted);
  json.member("finalized", communicator.finalized);
  json.member("destroyed", communicator.destroyed);
  json.end_object();
}

}  // namespace

void write_flight_recorder(JsonWriter& json, const model::Job& job, const ProcessIndex& index) {
  const std::vector<RankProcess> ranks = rank_processes(job, index);
  begin_collector(json, flight_recorder_summary(ranks), ranks);
  for (const auto& [rank, process] : ranks) {
    for (const auto& recorder : process->flight_recorders) {
      for (const RecordedOperation& operation : recorder.operations)
        write_item(json, rank, *process, recorder, operation);
    }
  }
  json.end_array();
  json.end_object();
}

void write_communicators(JsonWriter& json, const model::Job& job, const ProcessIndex& index) {
  const std::vector<RankProcess> ranks = rank_processes(job, index);
  begin_collector(json, communicators_summary(ranks), ranks);
  for (const auto& [rank, process] : ranks) {
    for (const auto& library : process->nccl_libraries) {
      for (const model::Communicator& communicator : library.communicators)
        write_communicator(json, rank, *process, communicator);
    }
  }
  json.end_array();
  json.end_object();
}

}  // namespace hangstack::report
