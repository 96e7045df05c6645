#include <fmt/core.h>

#include <ctime>

#include "report/json/parts.h"
#include "report/problems.h"
#include "report/report.h"

namespace hangstack::report {
namespace {

using Layout = JsonWriter::Layout;

/// Room for a frame on its line, to reserve once instead of growing.
constexpr std::size_t kBytesPerFrame = 320;

std::size_t expected_size(const model::Report& report) {
  std::size_t frames = 0;
  for (const auto& history : report.processes) {
    if (history.samples.empty()) continue;
    for (const auto& thread : history.last().threads) frames += thread.frames.size() + 1;
  }
  return 4096 + frames * kBytesPerFrame;
}

void write_strings(JsonWriter& json, std::string_view name, const std::vector<std::string>& strings) {
  json.key(name);
  json.begin_array(Layout::one_line);
  for (const auto& s : strings) json.value(s);
  json.end_array();
}

void write_head(JsonWriter& json, const model::Report& report) {
  json.member("schema", "hangstack-report/1");
  json.key("tool");
  json.begin_object(Layout::one_line);
  json.member("name", "hangstack");
  json.member("version", report.tool_version);
  json.end_object();
  json.member_or_null("created", rfc3339(report.created_unix_s));
  json.key("sampling");
  json.begin_object();
  json.member("samples", report.sampling.samples);
  json.member("gap_s", report.sampling.gap_s);
  json.member("stop", report.sampling.stop);
  json.member("stop_us_total", report.sampling.stopped_us_total);
  json.member("threads_stopped", report.sampling.threads_stopped);
  write_strings(json, "asked", report.sampling.asked);
  write_strings(json, "disturbed", report.sampling.disturbed);
  json.end_object();
}

void write_errors(JsonWriter& json, const model::Report& report) {
  json.key("errors");
  json.begin_array();
  for (const auto& problem : all_problems(report)) {
    json.begin_object(Layout::one_line);
    json.member("scope", problem.scope);
    json.member("subject", problem.subject);
    json.member("code", model::error_code_name(problem.error.code));
    json.member("message", problem.error.message);
    json.member("fix", problem.error.fix);
    json.end_object();
  }
  json.end_array();
}

}  // namespace

std::string rfc3339(std::int64_t unix_s) {
  std::tm utc{};
  const std::time_t time = unix_s;
  if (gmtime_r(&time, &utc) == nullptr || utc.tm_year > 9999 - 1900) return {};
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday,
                     utc.tm_hour, utc.tm_min, utc.tm_sec);
}

std::string write_json(const model::Report& report) {
  std::string out;
  out.reserve(expected_size(report));
  JsonWriter json(out);
  const ProcessIndex index(report);
  json.begin_object();
  write_head(json, report);
  json.key("jobs");
  json.begin_array();
  for (const auto& job : report.jobs) write_job(json, job, index);
  json.end_array();
  json.key("missing_hosts");
  json.begin_array();
  json.end_array();
  json.key("processes");
  json.begin_array();
  for (const auto& history : report.processes) write_process(json, history, index);
  json.end_array();
  write_errors(json, report);
  json.end_object();
  out += '\n';
  return out;
}

}  // namespace hangstack::report
