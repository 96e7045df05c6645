#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "ingest/logs/log_lines.h"
#include "ingest/text.h"

namespace hangstack::ingest {
namespace {

using model::LogEvent;
using model::LogKind;

/// The number behind `key` and a blank, decimal or behind 0x.
std::optional<std::uint64_t> number_behind(std::string_view text, std::string_view key) {
  const auto at = text.find(key);
  if (at == std::string_view::npos) return std::nullopt;
  auto rest = text.substr(at + key.size());
  const bool hex = rest.starts_with("0x");
  if (hex) rest.remove_prefix(2);
  std::uint64_t number = 0;
  const auto [end, code] = std::from_chars(rest.data(), rest.data() + rest.size(), number, hex ? 16 : 10);
  return code == std::errc{} && end != rest.data() ? std::optional(number) : std::nullopt;
}

/// "host:7:9" to host and pid.
void name_process(std::string_view head, LogEvent& event) {
  while (!head.empty()) {
    const auto word = head.substr(0, head.find(' '));
    head.remove_prefix(std::min(word.size() + 1, head.size()));
    const auto tid = word.rfind(':');
    if (tid == std::string_view::npos || tid == 0) continue;
    const auto pid = word.rfind(':', tid - 1);
    if (pid == std::string_view::npos || pid == 0) continue;
    const long long number = leading_number(word.substr(pid + 1));
    if (number <= 0 || number > 0x7fffffff || leading_number(word.substr(tid + 1)) <= 0) continue;
    event.host = printable_name(word.substr(0, std::min<std::size_t>(pid, 255)));
    event.pid = static_cast<std::int32_t>(number);
    return;
  }
}

/// Of a communicator's beginning or end; false if `body` tells of neither.
bool is_init(std::string_view body, LogEvent& event) {
  const bool start = body.ends_with("Init START");
  if (!start && !body.ends_with("Init COMPLETE")) return false;
  const auto rank = number_behind(body, " rank ");
  const auto ranks = number_behind(body, " nranks ");
  constexpr std::uint64_t kMostRanks = 1U << 20;
  if (!rank || !ranks || *ranks == 0 || *ranks > kMostRanks || *rank >= *ranks) return false;
  // A split has no id of its own before 2.32.
  const auto id = number_behind(body, " commId ");
  if (!id && body.find(" parent ") != std::string_view::npos) return false;
  event.kind = start ? LogKind::init_start : LogKind::init_complete;
  event.communicator = id.value_or(0);
  event.communicator_rank = static_cast<int>(*rank);
  event.communicator_ranks = static_cast<int>(*ranks);
  event.text =
      fmt::format("communicator {:#x} of {} ranks: init {}", event.communicator, *ranks, start ? "began" : "complete");
  return true;
}

}  // namespace

std::optional<LogEvent> nccl_line(std::string_view line) {
  LogEvent event;
  line = trimmed(line);
  if (line.starts_with("NCCL version ")) {
    event.kind = LogKind::nccl_version;
    event.text = log_text(line);
    return event;
  }
  constexpr std::string_view kInfo = " NCCL INFO ";
  constexpr std::string_view kWarn = " NCCL WARN ";
  const auto warn = line.find(kWarn);
  const auto at = warn != std::string_view::npos ? warn : line.find(kInfo);
  if (at == std::string_view::npos) return std::nullopt;
  const auto body = trimmed(line.substr(at + kInfo.size()));
  name_process(line.substr(0, at), event);
  if (is_init(body, event)) return event;
  event.text = log_text(body);
  if (body.starts_with("NCCL version ")) {
    event.kind = LogKind::nccl_version;
    return event;
  }
  if (body.ends_with("Abort COMPLETE") || body.ends_with("Abort START")) {
    event.kind = LogKind::abort;
    return event;
  }
  if (warn == std::string_view::npos) return std::nullopt;
  event.kind = body.find("Cuda failure") != std::string_view::npos ? LogKind::cuda_error : LogKind::nccl_warning;
  return event;
}

}  // namespace hangstack::ingest
