#include <fmt/core.h>

#include "report/json/parts.h"

namespace hangstack::report {
namespace {

using Layout = JsonWriter::Layout;

std::string_view method_name(model::CaptureMethod method) {
  switch (method) {
    case model::CaptureMethod::looked: return "looked";
    case model::CaptureMethod::stopped: return "stopped";
    case model::CaptureMethod::none: return "none";
  }
  return "none";
}

void write_frame(JsonWriter& json, const model::Frame& frame) {
  json.begin_object(Layout::one_line);
  json.member("kind", model::frame_kind_name(frame.kind));
  json.member_or_null("function", frame.function);
  json.member_or_null("module", frame.module);
  json.member_or_null("file", frame.file);
  json.key("line");
  if (frame.line > 0) {
    json.value(frame.line);
  } else {
    json.value(nullptr);
  }
  json.member_hex("address", frame.address);
  json.member_hex("offset", frame.offset);
  json.member("trust", model::frame_trust_name(frame.trust));
  if (!frame.symbol.empty()) json.member("symbol", frame.symbol);
  if (!frame.note.empty()) json.member("note", frame.note);
  json.end_object();
}

void write_syscall(JsonWriter& json, const model::Thread& thread) {
  json.key("syscall");
  if (!thread.syscall_name.empty()) {
    json.value(thread.syscall_name);
  } else if (thread.syscall && thread.syscall->number >= 0) {
    json.value(fmt::format("syscall {}", thread.syscall->number));
  } else {
    json.value(nullptr);
  }
}

void write_thread(JsonWriter& json, const model::Thread& thread) {
  json.begin_object();
  json.member("tid", thread.tid);
  json.member("ns_tid", thread.ns_tid);
  json.member("name", thread.name);
  json.member_or_null("python_name", thread.python_name);
  json.member("kernel_state", std::string_view(&thread.kernel_state, 1));
  json.member_or_null("wchan", thread.wchan);
  write_syscall(json, thread);
  json.member("gil", model::gil_state_name(thread.gil));
  json.member("lock_holder_tid", thread.lock_holder_tid == 0 ? std::nullopt : std::optional(thread.lock_holder_tid));
  json.member_or_null("role", thread.role);
  json.member("suppressed", thread.suppressed);
  json.member("blocking", thread.blocking);
  json.member("moved", thread.moved);
  json.member("asleep_s", thread.clocks.asleep_s);
  json.key("clocks");
  write_clocks(json, thread.clocks);
  json.member("how", method_name(thread.method));
  json.member("stop_us", thread.stopped_us);
  json.key("frames");
  json.begin_array();
  for (const auto& frame : thread.frames) write_frame(json, frame);
  json.end_array();
  json.member_or_null("end", thread.end);
  json.member("complete", thread.complete);
  json.end_object();
}

}  // namespace

void write_process(JsonWriter& json, const model::ProcessHistory& history, const ProcessIndex& index) {
  if (history.samples.empty()) return;
  const model::ProcessSnapshot& process = history.last();
  const model::Job* job = index.job_of(process);
  json.begin_object();
  json.member("rank", process.identity.rank);
  json.key("job");
  if (job != nullptr) {
    json.value(job->job);
  } else {
    json.value(nullptr);
  }
  if (!process.dump.empty()) json.member("dump", process.dump);
  json.member("host", process.host);
  json.member("pid", process.pid);
  json.member("ns_pid", process.ns_pid);
  json.member("role", model::role_name(process.identity.role));
  json.member_or_null("exe", process.exe);
  json.member_or_null("python", process.pythons.empty() ? std::string_view() : process.pythons.front().version);
  json.member("kernel_state", std::string_view(&process.kernel_state, 1));
  json.key("tracer");
  if (process.tracer_pid != 0) {
    json.begin_object(Layout::one_line);
    json.member("pid", process.tracer_pid);
    json.member("name", process.tracer_name);
    json.end_object();
  } else {
    json.value(nullptr);
  }
  json.member("stop_us", process.stopped_us);
  json.member("samples", history.samples.size());
  json.key("threads");
  json.begin_array();
  for (const auto& thread : process.threads) write_thread(json, thread);
  json.end_array();
  json.end_object();
}

}  // namespace hangstack::report
