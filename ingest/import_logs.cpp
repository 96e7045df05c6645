// What logs add to an import.

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "ingest/ingest.h"
#include "ingest/logs/call_log.h"
#include "ingest/logs/log.h"

namespace hangstack::ingest {
namespace {

using model::LogEvent;
using model::LogKind;
using model::ProcessSnapshot;
using model::RecordedOperation;

constexpr std::int64_t kNsPerMs = 1'000'000;

/// Names of c10d::OpType as the log has them (torch/csrc/distributed/c10d/Types.cpp: opTypeToString), as the flight
/// recorder calls the same.
std::string operation_name(const std::string& type) {
  struct Name {
    std::string_view type;
    std::string_view name;
  };
  constexpr auto kNames = std::to_array<Name>({{"ALLREDUCE", "all_reduce"},
                                               {"BROADCAST", "broadcast"},
                                               {"REDUCE", "reduce"},
                                               {"ALLGATHER", "all_gather"},
                                               {"_ALLGATHER_BASE", "_all_gather_base"},
                                               {"REDUCE_SCATTER", "reduce_scatter"},
                                               {"_REDUCE_SCATTER_BASE", "_reduce_scatter_base"},
                                               {"ALLTOALL", "all_to_all"},
                                               {"ALLTOALL_BASE", "all_to_all"},
                                               {"BARRIER", "barrier"},
                                               {"GATHER", "gather"},
                                               {"SCATTER", "scatter"},
                                               {"SEND", "send"},
                                               {"RECV", "recv"},
                                               {"COALESCED", "coalesced"}});
  const auto* const found = std::ranges::find(kNames, type, &Name::type);
  if (found != kNames.end()) return std::string(found->name);
  std::string name = type;
  for (char& c : name)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return name;
}

bool is_transfer(const LogEvent& event) { return event.operation == "SEND" || event.operation == "RECV"; }

RecordedOperation operation_of(const LogEvent& event, std::string_view name) {
  RecordedOperation operation;
  operation.backend = "nccl";
  operation.group = event.group;
  operation.group_description = event.group_description;
  operation.name = name;
  operation.timeout_ms = event.timeout_ms;
  operation.created_unix_ns = event.time_ns == 0 ? 0 : event.time_ns - event.ran_ms * kNsPerMs;
  return operation;
}

/// What the watchdog says that a rank has not ended: of each group the first collective. Of a rank in which none timed
/// out, the last one, if it has ended all that it began.
model::FlightRecorder recorder_of(const std::vector<const LogEvent*>& events) {
  model::FlightRecorder recorder;
  recorder.status = model::RecordStatus::ok;
  recorder.place = model::kPlaceOfLog;
  std::map<std::string, const LogEvent*> first;
  std::map<std::string, const LogEvent*> status;
  for (const LogEvent* event : events) {
    if (event->kind == LogKind::watchdog_timeout && event->sequence && !is_transfer(*event)) {
      const auto [at, fresh] = first.try_emplace(event->group, event);
      if (!fresh && *event->sequence < *at->second->sequence) at->second = event;
    } else if (event->kind == LogKind::group_status) {
      status[event->group] = event;
    }
  }
  for (const auto& [group, event] : first) {
    RecordedOperation& operation =
        recorder.operations.emplace_back(operation_of(*event, operation_name(event->operation)));
    operation.id = recorder.operations.size();
    operation.sequence = *event->sequence;
    if (event->elements_in >= 0) operation.inputs.push_back({{event->elements_in}, ""});
    if (event->elements_out >= 0) operation.outputs.push_back({{event->elements_out}, ""});
  }
  for (const auto& [group, event] : status) {
    if (first.contains(group) || *event->last_completed != *event->last_enqueued || *event->last_enqueued < 0) continue;
    RecordedOperation& operation = recorder.operations.emplace_back(operation_of(*event, "collective"));
    operation.id = recorder.operations.size();
    operation.sequence = static_cast<std::uint64_t>(*event->last_enqueued);
    operation.retired = true;
  }
  return recorder;
}

/// Of the communicator with the most ranks.
std::optional<int> world_size_in(const std::vector<LogEvent>& events) {
  int most = 0;
  for (const LogEvent& event : events) most = std::max(most, event.communicator_ranks);
  for (const LogEvent& event : events)
    if (event.rank && *event.rank >= most) return std::nullopt;
  return most > 1 ? std::optional(most) : std::nullopt;
}

/// What is said of a rank by others.
bool by_launcher(const LogEvent& event) { return event.kind == LogKind::exited || event.kind == LogKind::xid; }

}  // namespace

bool Importer::add_log(const Part& part) {
  const DumpFile& file = *part.file;
  const std::string& text = part.stream.text;
  std::vector<LogEvent> events;
  if (looks_like_error_file(text)) {
    auto read = read_error_file(text);
    if (!read) return say(file.name, read.error().message, read.error().fix);
    events = std::move(*read);
  } else {
    events = read_log(text, file.modified_unix_ns);
  }
  if (events.empty())
    return say(file.name, "a log, but no line of it tells of a communicator, a timeout or a failure",
               "give the log of the rank's standard error; NCCL_DEBUG=INFO tells more");
  std::optional<int> rank = rank_of(part).rank;
  std::set<int> told;
  for (const LogEvent& event : events)
    if (event.rank && !by_launcher(event)) told.insert(*event.rank);
  // A rank of the node is one of the job's where the lines themselves say which.
  if (!file.rank && told.size() == 1 && (!rank || part.stream.rank_of_node)) rank = *told.begin();
  for (LogEvent& event : events) {
    event.file = file.name;
    event.line = line_in_file(part.stream, event.line);
    if (!event.rank && rank && !by_launcher(event)) event.rank = rank;
  }
  const bool whose = std::ranges::any_of(events, [](const LogEvent& event) { return event.rank.has_value(); });
  if (!whose)
    say(file.name,
        fmt::format("nothing tells whose it is: {} (line {}){}", events.front().text, events.front().line,
                    events.size() > 1 ? fmt::format(", and {} more lines", events.size() - 1) : ""),
        fmt::format("give it as RANK={}", file.name));
  std::ranges::move(events, std::back_inserter(logs_));
  return true;
}

bool Importer::add_call_log(const Part& part) {
  const DumpFile& file = *part.file;
  CallLogs read = read_call_log(part.stream.text, rank_of(part).rank);
  if (read.logs.empty())
    return say(file.name, "lines of JSON, but none tells a rank, a number and an operation",
               fmt::format("see hangstack explain sequence-log; the rank may be given as RANK={}", file.name));
  // The last line may be cut off.
  if (read.not_read > 1)
    say(file.name,
        fmt::format("{} lines of it tell no call: the first is line {}", read.not_read,
                    line_in_file(part.stream, read.first_not_read)),
        "the other lines are used");
  for (model::CallLog& log : read.logs) {
    log.file = file.name;
    for (model::LoggedCall& call : log.calls) call.line = line_in_file(part.stream, call.line);
    call_logs_.push_back(std::move(log));
  }
  return true;
}

void Importer::add_logged_ranks(Processes& processes) {
  std::map<int, std::vector<const LogEvent*>> by_rank;
  for (const LogEvent& event : logs_)
    if (event.rank && *event.rank >= 0) by_rank[*event.rank].push_back(&event);
  const auto world = world_size_in(logs_);
  for (const auto& [rank, events] : by_rank) {
    ProcessSnapshot& process = processes[{World{}, rank}].samples.emplace_back();
    process.dump = events.front()->file;
    process.identity.role = model::Role::rank;
    process.identity.rank = rank;
    process.identity.rank_source = "the log";
    process.identity.world_size = world;
    for (const LogEvent* event : events) {
      process.captured_at_unix_ns = std::max(process.captured_at_unix_ns, event->time_ns);
      if (process.host.empty()) process.host = event->host;
      if (process.pid == 0) process.pid = event->pid;
    }
    model::FlightRecorder recorder = recorder_of(events);
    if (!recorder.operations.empty()) process.flight_recorders.push_back(std::move(recorder));
  }
  for (const model::CallLog& log : call_logs_) {
    const auto [at, fresh] = processes.try_emplace({World{}, log.rank});
    if (!fresh) continue;
    ProcessSnapshot& process = at->second.samples.emplace_back();
    process.dump = log.file;
    process.identity.role = model::Role::rank;
    process.identity.rank = log.rank;
    process.identity.rank_source = "the sequence log";
  }
}

}  // namespace hangstack::ingest
