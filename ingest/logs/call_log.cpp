#include "ingest/logs/call_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>

#include "ingest/document/json.h"
#include "ingest/text.h"

namespace hangstack::ingest {
namespace {

constexpr std::size_t kMostName = 200;
constexpr std::int64_t kMostRank = 1 << 20;

template <std::size_t N>
std::optional<Value> any_of(const Value& object, const std::array<std::string_view, N>& keys) {
  for (const auto key : keys)
    if (auto found = object.find(key)) return found;
  return std::nullopt;
}

constexpr std::array<std::string_view, 3> kSequence{"seq", "sequence", "seq_num"};
constexpr std::array<std::string_view, 3> kOperation{"op", "operation", "collective"};
constexpr std::array<std::string_view, 2> kGroup{"group", "pg"};
constexpr std::array<std::string_view, 2> kSizes{"sizes", "shapes"};
constexpr std::array<std::string_view, 2> kTypes{"dtype", "dtypes"};
constexpr std::array<std::string_view, 2> kSite{"at", "site"};
constexpr std::array<std::string_view, 2> kEvent{"event", "phase"};

/// Numbers, texts and lists of them, as they would stand in JSON.
void append(std::string& to, const Value& value) {
  if (to.size() > kMostName) return;
  if (const auto number = value.integer()) to += fmt::format("{}", *number);
  if (const auto text = value.text()) to += printable_name(*text);
  if (value.kind() != ValueKind::list) return;
  to += '[';
  for (std::size_t i = 0; i < value.size() && to.size() <= kMostName; ++i) {
    if (i > 0) to += ", ";
    append(to, value.element(i));
  }
  to += ']';
}

std::string text_of(const std::optional<Value>& value) {
  std::string text;
  if (value) append(text, *value);
  if (text.size() > kMostName) text.resize(kMostName);
  return printable_name(text);
}

std::optional<std::int64_t> number_of(const std::optional<Value>& value) {
  return value ? value->integer() : std::nullopt;
}

struct Line {
  int rank = 0;
  std::string group;
  model::LoggedCall call;
  bool returned = false;
};

std::optional<Line> line_of(std::string_view text, std::optional<int> default_rank) {
  const auto document = read_json(text);
  if (!document || document->root().kind() != ValueKind::dictionary) return std::nullopt;
  const Value root = document->root();
  const auto sequence = number_of(any_of(root, kSequence));
  std::optional<std::int64_t> rank = number_of(root.find("rank"));
  if (!root.find("rank") && default_rank) rank = *default_rank;
  Line line;
  line.call.operation = text_of(any_of(root, kOperation));
  if (!sequence || *sequence < 0 || !rank || *rank < 0 || *rank > kMostRank || line.call.operation.empty())
    return std::nullopt;
  line.rank = static_cast<int>(*rank);
  line.group = text_of(any_of(root, kGroup));
  line.call.sequence = static_cast<std::uint64_t>(*sequence);
  line.call.arguments = text_of(any_of(root, kSizes));
  const std::string types = text_of(any_of(root, kTypes));
  if (!types.empty()) line.call.arguments += (line.call.arguments.empty() ? "" : " ") + types;
  line.call.site = text_of(any_of(root, kSite));
  const std::string event = text_of(any_of(root, kEvent));
  line.returned = event == "return" || event == "returned" || event == "end" || event == "after";
  return line;
}

}  // namespace

bool looks_like_call_log(std::string_view text) {
  constexpr std::size_t kMostLine = 4096;
  while (!text.empty()) {
    const auto line = trimmed(take_line(text));
    if (line.empty()) continue;
    if (!line.starts_with('{') || line.size() > kMostLine) return false;
    const auto document = read_json(line);
    if (!document || document->root().kind() != ValueKind::dictionary) return false;
    return any_of(document->root(), kSequence) && any_of(document->root(), kOperation);
  }
  return false;
}

CallLogs read_call_log(std::string_view text, std::optional<int> rank) {
  CallLogs found;
  std::map<std::pair<std::string, int>, model::CallLog> logs;
  std::size_t calls = 0;
  for (std::size_t number = 1; !text.empty() && calls < kMostLoggedCalls; ++number) {
    const auto text_line = trimmed(take_line(text));
    if (text_line.empty()) continue;
    auto line = line_of(text_line, rank);
    if (!line) {
      if (found.not_read++ == 0) found.first_not_read = number;
      continue;
    }
    if (line->returned) continue;
    line->call.line = number;
    model::CallLog& log = logs[{line->group, line->rank}];
    log.rank = line->rank;
    log.group = line->group;
    log.calls.push_back(std::move(line->call));
    ++calls;
  }
  for (auto& [key, log] : logs) {
    std::ranges::stable_sort(log.calls, {}, &model::LoggedCall::sequence);
    found.logs.push_back(std::move(log));
  }
  return found;
}

}  // namespace hangstack::ingest
