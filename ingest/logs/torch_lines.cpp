#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "ingest/logs/log_lines.h"
#include "ingest/text.h"

namespace hangstack::ingest {
namespace {

using model::LogEvent;
using model::LogKind;

constexpr int kMostRank = 1 << 20;

bool has(std::string_view line, std::string_view words) { return line.find(words) != std::string_view::npos; }

std::optional<std::int64_t> number_at(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  return code == std::errc{} && end != text.data() ? std::optional(number) : std::nullopt;
}

std::optional<std::int64_t> number_behind(std::string_view text, std::string_view key) {
  const auto at = text.find(key);
  return at == std::string_view::npos ? std::nullopt : number_at(text.substr(at + key.size()));
}

std::optional<int> rank_at(std::string_view text) {
  const auto number = number_at(text);
  return number && *number >= 0 && *number <= kMostRank ? std::optional(static_cast<int>(*number)) : std::nullopt;
}

std::string told(std::string_view text) { return log_text(trimmed(text)); }

/// "[PG ID 0 PG GUID 0(default_pg) Rank 3]" (2.5 and later) and "[PG 1 Rank 3]" (2.3, 2.4).
struct GroupWords {
  std::string_view name;
  std::string_view description;
};

GroupWords group_in(std::string_view line) {
  const auto words = between(line, "[PG ", "]");
  if (words.empty()) return {};
  const auto guid = words.find("GUID ");
  auto name = guid == std::string_view::npos ? words : words.substr(guid + 5);
  name = name.substr(0, name.find(' '));
  const auto open = name.find('(');
  if (open == std::string_view::npos) return {name, {}};
  return {name.substr(0, open), between(name, "(", ")")};
}

void name_group(std::string_view line, LogEvent& event) {
  const GroupWords group = group_in(line);
  event.group = printable_name(group.name.substr(0, 255));
  event.group_description = printable_name(group.description.substr(0, 255));
}

LogEvent watchdog_timeout(std::string_view line) {
  LogEvent event;
  event.kind = LogKind::watchdog_timeout;
  name_group(line, event);
  const auto work = line.substr(std::min(line.find("WorkNCCL("), line.size()));
  if (const auto sequence = number_behind(work, "SeqNum="); sequence && *sequence >= 0)
    event.sequence = static_cast<std::uint64_t>(*sequence);
  event.operation = printable_name(between(work, "OpType=", ",").substr(0, 255));
  event.elements_in = number_behind(work, "NumelIn=").value_or(-1);
  event.elements_out = number_behind(work, "NumelOut=").value_or(-1);
  event.timeout_ms = number_behind(work, "Timeout(ms)=").value_or(0);
  event.ran_ms = number_behind(work, "ran for ").value_or(0);
  if (event.sequence && !event.operation.empty())
    event.text = fmt::format("{} #{} timed out{}", event.operation, *event.sequence,
                             event.ran_ms > 0 ? fmt::format(" after {} s", event.ran_ms / 1000) : "");
  else
    event.text = told(line.substr(line.find("Watchdog caught")));
  return event;
}

/// None if the numbers are not there.
std::optional<LogEvent> group_status(std::string_view line) {
  LogEvent event;
  event.kind = LogKind::group_status;
  name_group(line, event);
  for (const std::string_view key : {"ast enqueued NCCL work: ", "ast enqueued work: "})
    if (!event.last_enqueued) event.last_enqueued = number_behind(line, key);
  for (const std::string_view key : {"ast completed NCCL work: ", "ast completed work: "})
    if (!event.last_completed) event.last_completed = number_behind(line, key);
  for (const std::string_view key : {"detected by watchdog at work: ", "detected by watchdog at work sequence id: "})
    if (const auto sequence = number_behind(line, key); sequence && *sequence >= 0)
      event.sequence = static_cast<std::uint64_t>(*sequence);
  if (!event.last_enqueued || !event.last_completed) return std::nullopt;
  event.text = fmt::format("has begun up to #{} and ended up to #{}", *event.last_enqueued, *event.last_completed);
  return event;
}

LogEvent of(LogKind kind, std::string_view text) {
  LogEvent event;
  event.kind = kind;
  event.text = told(text);
  return event;
}

}  // namespace

std::optional<int> rank_in_line(std::string_view line) {
  if (const auto at = line.find("[rank"); at != std::string_view::npos)
    if (const auto rank = rank_at(line.substr(at + 5))) return rank;
  if (const auto at = line.find("[Rank "); at != std::string_view::npos)
    if (const auto rank = rank_at(line.substr(at + 6))) return rank;
  const GroupWords group = group_in(line);
  if (group.name.empty() || (group.name != "0" && group.description != "default_pg")) return std::nullopt;
  const auto words = between(line, "[PG ", "]");
  const auto at = words.rfind("Rank ");
  return at == std::string_view::npos ? std::nullopt : rank_at(words.substr(at + 5));
}

std::optional<LogEvent> torch_line(std::string_view line) {
  if (has(line, "Watchdog caught collective operation timeout")) return watchdog_timeout(line);
  if (has(line, "ast completed NCCL work: ") || has(line, "ast completed work: "))
    if (auto status = group_status(line)) return status;
  if (has(line, "used by this process") && has(line, "currently unknown")) {
    const auto device = between(line, "using GPU ", " ");
    return of(LogKind::unknown_device, device.empty()
                                           ? "a barrier guessed the GPU of the process"
                                           : fmt::format("a barrier guessed GPU {} for the process", device));
  }
  if (has(line, "Guessing device ID based on global rank"))
    return of(LogKind::unknown_device, "a barrier guessed the GPU of the process by its rank");
  if (const auto at = line.find("wait timeout after "); at != std::string_view::npos)
    return of(LogKind::store_timeout, line.substr(at));
  for (const std::string_view words : {"watchdog got stuck for ", "Heartbeat monitor timed out", "watchdog hang"})
    if (const auto at = line.find(words); at != std::string_view::npos) return of(LogKind::heartbeat, line.substr(at));
  for (const std::string_view words : {"we are taking the entire process down", "NCCL communicator was aborted"})
    if (const auto at = line.find(words); at != std::string_view::npos) return of(LogKind::abort, line.substr(at));
  if (const auto at = line.find("CUDA error: "); at != std::string_view::npos)
    return of(LogKind::cuda_error, line.substr(at));
  return std::nullopt;
}

}  // namespace hangstack::ingest
