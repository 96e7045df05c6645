#include <algorithm>

#include "ingest/document/json.h"
#include "ingest/logs/log.h"
#include "ingest/logs/log_lines.h"
#include "ingest/text.h"

namespace hangstack::ingest {
namespace {

constexpr std::int64_t kNsPerSecond = 1'000'000'000;

std::string_view text_in(const Value& value, std::string_view key) {
  const auto found = value.find(key);
  const auto text = found ? found->text() : std::nullopt;
  return text.value_or(std::string_view());
}

}  // namespace

bool looks_like_error_file(std::string_view text) {
  const auto begin = text.substr(0, 4096);
  const auto open = begin.find_first_not_of(" \t\r\n");
  if (open == std::string_view::npos || begin[open] != '{') return false;
  const auto rest = trimmed(begin.substr(open + 1), " \t\r\n");
  return rest.starts_with("\"message\"") && begin.find("\"entries\"") == std::string_view::npos;
}

model::Expected<std::vector<model::LogEvent>> read_error_file(std::string_view text) {
  auto document = read_json(text);
  if (!document) return tl::make_unexpected(document.error());
  model::LogEvent event;
  event.kind = model::LogKind::exception;
  event.line = 1;
  const Value root = document->root();
  const auto message = root.find("message");
  std::string_view words = text_in(root, "message");
  if (message && message->kind() == ValueKind::dictionary) {
    words = text_in(*message, "message");
    if (const auto extra = message->find("extraInfo"))
      event.time_ns = std::clamp(leading_number(text_in(*extra, "timestamp")), 0LL, 1LL << 33) * kNsPerSecond;
  }
  // A message that has lines of its own: the first is the exception's.
  words = trimmed(words.substr(0, words.find('\n')));
  if (words.empty())
    return model::failure(model::ErrorCode::malformed_input, "JSON, but it has no message as torchelastic writes one",
                          "give the file that TORCHELASTIC_ERROR_FILE named");
  event.text = log_text(words);
  return std::vector{event};
}

}  // namespace hangstack::ingest
