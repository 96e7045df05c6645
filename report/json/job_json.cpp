#include <algorithm>

#include "report/json/parts.h"

namespace hangstack::report {
namespace {

using Layout = JsonWriter::Layout;

void write_texts(JsonWriter& json, std::string_view name, const std::vector<std::string>& texts) {
  json.key(name);
  json.begin_array();
  for (const auto& text : texts) json.value(text);
  json.end_array();
}

void write_observations(JsonWriter& json, const model::Verdict& verdict) {
  json.key("observations");
  json.begin_array();
  for (const auto& observation : verdict.observations) {
    json.begin_object(Layout::one_line);
    json.member("text", observation.text);
    json.member("ranks", observation.ranks.folded());
    json.member("source", observation.source);
    json.end_object();
  }
  json.end_array();
  json.key("against");
  json.begin_array();
  for (const auto& text : verdict.against) {
    json.begin_object(Layout::one_line);
    json.member("text", text);
    json.end_object();
  }
  json.end_array();
}

void write_first_cause(JsonWriter& json, const model::Verdict& verdict) {
  json.key("first_cause");
  if (!verdict.first_cause) {
    json.value(nullptr);
    return;
  }
  json.begin_object();
  json.member("pattern", verdict.first_cause->pattern);
  json.member("ranks", verdict.first_cause->ranks.folded());
  json.member("summary", verdict.first_cause->summary);
  json.end_object();
}

void write_verdict(JsonWriter& json, const model::Verdict& verdict) {
  json.key("verdict");
  json.begin_object();
  json.member("hung", model::hung_name(verdict.hung));
  json.member("pattern", verdict.pattern);
  json.member_or_null("shape", verdict.shape);
  json.member("confidence", model::confidence_name(verdict.confidence));
  json.key("culprit_ranks");
  json.begin_array(Layout::one_line);
  for (const int rank : verdict.culprit_ranks.ranks()) json.value(rank);
  json.end_array();
  json.member("since_s", verdict.since_s);
  write_first_cause(json, verdict);
  json.member("summary", verdict.summary);
  write_observations(json, verdict);
  json.key("next_steps");
  json.begin_array();
  for (const auto& step : verdict.next_steps) {
    json.begin_object(Layout::one_line);
    json.member("why", step.why);
    json.member_or_null("command", step.command);
    json.end_object();
  }
  json.end_array();
  std::vector<std::string> verification = verdict.verification;
  for (const auto& fact : verdict.documented_verification)
    if (std::ranges::find(verification, fact) == verification.end()) verification.push_back(fact);
  write_texts(json, "verification", verification);
  json.member_or_null("reference", verdict.reference);
  json.end_object();
}

void write_alternatives(JsonWriter& json, const model::Job& job) {
  json.key("alternatives");
  json.begin_array();
  for (const auto& alternative : job.alternatives) {
    json.begin_object(Layout::one_line);
    json.member("pattern", alternative.pattern);
    json.member("confidence", model::confidence_name(alternative.confidence));
    json.member("why_not", alternative.why_not);
    json.end_object();
  }
  json.end_array();
}

void write_groups(JsonWriter& json, const model::Job& job) {
  json.key("groups");
  json.begin_array();
  for (const auto& group : job.groups) {
    json.begin_object(Layout::one_line);
    json.member("ranks", group.ranks.folded());
    json.member_or_null("state", group.state);
    json.member_or_null("title", group.title);
    json.member_or_null("frame", group.frame);
    json.member("since_s", group.since_s);
    json.member("moved", group.moved);
    json.key("pids");
    json.begin_array();
    for (const auto pid : group.pids) json.value(pid);
    json.end_array();
    json.end_object();
  }
  json.end_array();
}

void write_row(JsonWriter& json, const model::RankRow& row, const ProcessIndex& index) {
  json.begin_object(Layout::one_line);
  json.member("rank", row.rank);
  if (!row.dump.empty()) json.member("dump", row.dump);
  json.member("host", row.host);
  json.member("pid", row.pid);
  json.member("ns_pid", row.ns_pid);
  json.member("role", model::role_name(row.role));
  json.member("world_size", row.world_size);
  json.member_or_null("state", row.state);
  json.member("moved", row.moved);
  json.member("asleep_s", row.asleep_s);
  json.key("clocks");
  const auto* process = index.process(row);
  const auto* thread = process != nullptr ? leading_thread(*process) : nullptr;
  if (thread != nullptr) {
    write_clocks(json, thread->clocks);
  } else {
    json.value(nullptr);
  }
  json.member("stop_us", row.stopped_us);
  json.member("status", model::rank_status_name(row.status));
  json.key("error");
  if (row.error) {
    json.begin_object();
    json.member("code", model::error_code_name(row.error->code));
    json.member("message", row.error->message);
    json.member("fix", row.error->fix);
    json.end_object();
  } else {
    json.value(nullptr);
  }
  json.end_object();
}

void write_absent(JsonWriter& json, std::string_view name, std::string_view reason) {
  json.key(name);
  json.begin_object(Layout::one_line);
  json.member("status", "absent");
  json.member("reason", reason);
  json.member("read_at", nullptr);
  json.key("items");
  json.begin_array();
  json.end_array();
  json.end_object();
}

// Collectors that this version has not: their place in the report is kept, and says so.
void write_collectors(JsonWriter& json, const model::Job& job, const ProcessIndex& index) {
  json.key("records");
  json.begin_object();
  json.key("flight_recorder");
  write_flight_recorder(json, job, index);
  json.key("communicators");
  write_communicators(json, job, index);
  json.key("ras");
  write_ras(json, job);
  json.key("logs");
  write_logs(json, job);
  json.end_object();
  json.key("gpu");
  json.begin_object();
  write_absent(json, "recorder", "this version has no GPU recorder");
  write_absent(json, "devices", "this version does not query devices");
  write_absent(json, "core_dump", "this version does not take GPU core dumps");
  write_absent(json, "cuda_gdb", "this version does not run cuda-gdb");
  json.end_object();
}

}  // namespace

void write_clocks(JsonWriter& json, const model::ThreadClocks& clocks) {
  json.begin_object(Layout::one_line);
  json.member("user_ticks", clocks.user_ticks);
  json.member("system_ticks", clocks.system_ticks);
  json.member("voluntary_switches", clocks.voluntary_switches);
  json.member("nonvoluntary_switches", clocks.nonvoluntary_switches);
  json.member("run_count", clocks.run_count);
  json.end_object();
}

void write_job(JsonWriter& json, const model::Job& job, const ProcessIndex& index) {
  json.begin_object();
  json.member("job", job.job);
  write_verdict(json, job.verdict);
  write_alternatives(json, job);
  write_groups(json, job);
  json.key("ranks");
  json.begin_array();
  for (const auto& row : job.ranks) write_row(json, row, index);
  json.end_array();
  json.member("missing_ranks", job.missing_ranks.folded());
  write_collectors(json, job, index);
  json.end_object();
}

}  // namespace hangstack::report
