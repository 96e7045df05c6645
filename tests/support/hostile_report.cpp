#include "tests/support/hostile_report.h"

#include "tests/support/report_builder.h"

namespace hangstack::tests {
namespace {

model::FlightRecorder recorder_named(const std::string& text) {
  model::RecordedOperation operation;
  operation.group = operation.group_description = operation.backend = operation.name = text;
  operation.inputs = operation.outputs = {{{1, 2}, text}};
  operation.frames = {{text, text, 3}};
  operation.created_unix_ns = 1;
  return {model::RecordStatus::ok, text, text, 1, false, {operation}, {{text, text, {0, 1}}}, {}};
}

model::NcclLibrary library_named(const std::string& text) {
  model::Communicator communicator;
  communicator.hash = 0xabc;
  communicator.name = text;
  communicator.ranks = 2;
  communicator.async_error = 3;
  return {model::RecordStatus::ok, text, text, {communicator}};
}

model::RasRecord ras_named(const std::string& text) {
  model::RasRecord record;
  record.reply.status = model::RecordStatus::ok;
  record.reply.address = record.reply.host = record.reply.reason = record.reply.fix = text;
  model::RasRank rank;
  rank.host = text;
  rank.pid = 5;
  record.report.nccl_version = text;
  record.report.communicators = {{0xabc, 2, {rank}}};
  return record;
}

Frames frames_named(const std::string& text) {
  Frames frames{py(text, text, 3), native(text, text), native("", text), native_at(text, text, text, 4)};
  model::Frame marker;
  marker.kind = model::FrameKind::marker;
  marker.function = marker.note = text;
  model::Frame inlined = native(text, text);
  inlined.kind = model::FrameKind::inlined;
  inlined.note = text;
  frames.push_back(marker);
  frames.push_back(inlined);
  return frames;
}

void add_rank(ReportBuilder& builder, int rank, const std::string& text) {
  const std::int32_t pid = 70 + rank;
  ThreadBuilder main(pid, text);
  main.stack(frames_named(text)).sleeps_in(text, text, 3.0).role(text).blocking();
  main.edit().python_name = text;
  main.edit().complete = false;
  main.edit().end = text;
  main.edit().problems = {{model::ErrorCode::unreadable_memory, text, text}};
  ThreadBuilder other(pid + 100, text);
  other.stack(frames_named(text)).sleeps_in(text, text, 3.0);
  builder.process({rank, pid, text, text, 3.0}, {main, other});
  model::ProcessSnapshot& process = builder.report().processes.back().samples.back();
  process.exe = process.tracer_name = text;
  process.command_line = {text, text};
  process.tracer_pid = 4;
  process.pythons = {{text, text, 0, 0}};
  process.flight_recorders = {recorder_named(text)};
  process.nccl_libraries = {library_named(text)};
  process.captured_at_unix_ns = 5'000'000'000;
  process.problems = {{text, text, {model::ErrorCode::bad_elf, text, text}}};
}

}  // namespace

model::Report report_named(const std::string& text) {
  ReportBuilder b;
  b.world(3);
  for (const int rank : {0, 1}) add_rank(b, rank, text);
  b.failed({2, 72, text, text, std::nullopt, std::nullopt}, {model::ErrorCode::zombie, text, text});
  b.group({{0, 1}, text, text, text, 3.0, false, {70, 71}});
  const model::TreeNode leaf{frames_named(text), {1}, {0}, {}};
  b.job().job = text;
  b.job().tree = {{frames_named(text), {0, 1}, {}, {leaf, leaf}}};
  b.job().verdict = {model::Hung::yes,
                     text,
                     text,
                     model::Confidence::possible,
                     {1},
                     3.0,
                     text,
                     {{text, {0}, text}, {text, {0, 1, 2}, text}},
                     {text},
                     {{text, text}, {text, ""}, {"", text}},
                     {text},
                     text,
                     model::FirstCause{text, {1}, text},
                     {text}};
  b.job().alternatives = {{text, model::Confidence::possible, text}, {text, model::Confidence::unknown, text}};
  b.job().decisions = {text};
  b.job().ras = {ras_named(text)};
  b.report().errors = {{text, text, {model::ErrorCode::internal, text, text}}};
  b.report().sampling.asked = b.report().sampling.disturbed = {text};
  b.report().tool_version = text;
  b.report().jobs.push_back(b.report().jobs.front());
  return b.report();
}

}  // namespace hangstack::tests
