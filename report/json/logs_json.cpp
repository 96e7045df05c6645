#include <fmt/core.h>

#include <optional>
#include <string>

#include "model/logs.h"
#include "report/json/parts.h"

namespace hangstack::report {
namespace {

std::optional<std::int64_t> if_known(std::int64_t number, std::int64_t unknown) {
  return number == unknown ? std::nullopt : std::optional(number);
}

void write_event(JsonWriter& json, const model::LogEvent& event) {
  json.begin_object(JsonWriter::Layout::one_line);
  json.member("rank", event.rank);
  json.member_or_null("host", event.host);
  json.member("pid", event.pid == 0 ? std::nullopt : std::optional(event.pid));
  json.member("file", event.file);
  json.member("line", event.line);
  json.member_or_null("time", event.time);
  json.member("kind", model::log_kind_name(event.kind));
  json.member("text", event.text);
  if (event.communicator_ranks > 0) {
    json.member("hash", fmt::format("{:#x}", event.communicator));
    json.member("communicator_rank", event.communicator_rank);
    json.member("nranks", event.communicator_ranks);
  }
  if (!event.group.empty()) json.member("group", event.group);
  if (event.sequence) json.member("seq", *event.sequence);
  if (!event.operation.empty()) {
    json.member("op", event.operation);
    json.member("elements_in", if_known(event.elements_in, -1));
    json.member("elements_out", if_known(event.elements_out, -1));
    json.member("timeout_ms", event.timeout_ms);
  }
  if (event.last_enqueued) json.member("last_enqueued", *event.last_enqueued);
  if (event.last_completed) json.member("last_completed", *event.last_completed);
  if (event.exit_code) json.member("exit_code", *event.exit_code);
  if (event.first_observed) json.member("first_observed", true);
  json.end_object();
}

}  // namespace

void write_logs(JsonWriter& json, const model::Job& job) {
  json.begin_object();
  json.member("status", job.logs.empty() ? "absent" : "ok");
  json.member_or_null("reason", job.logs.empty() ? "no log was given" : "");
  json.member_or_null("read_at", "");
  json.key("items");
  json.begin_array();
  for (const model::LogEvent& event : job.logs) write_event(json, event);
  json.end_array();
  json.end_object();
}

}  // namespace hangstack::report
