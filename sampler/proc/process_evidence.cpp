#include "sampler/proc/process_evidence.h"

#include <fmt/core.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <climits>

#include "sampler/discover/discover.h"
#include "sampler/proc/environment.h"
#include "sampler/proc/living_thread.h"

namespace hangstack::sampler {
namespace {

std::string host_name() {
  std::array<char, HOST_NAME_MAX + 1> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return {};
  return name.data();
}

std::int64_t unix_ns() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

/// A parsed file of the process, or nothing.
template <typename Parse>
auto parsed(const ProcFiles& proc, std::int32_t pid, std::string_view name, Parse parse) {
  return proc.read(fmt::format("{}/{}", pid, name)).and_then(parse);
}

}  // namespace

tl::expected<EarlyEvidence, model::FailedProcess> read_early_evidence(const ProcFiles& proc, const TracerRights& rights,
                                                                      std::int32_t pid) {
  model::FailedProcess failed;
  failed.host = host_name();
  failed.pid = pid;
  const auto stat = parsed(proc, pid, "stat", parse_stat);
  if (stat) failed.kernel_state = stat->state;
  auto access = check_target(proc, rights, pid);
  if (!access) {
    failed.error = access.error();
    return tl::make_unexpected(std::move(failed));
  }
  const auto status = parsed(proc, pid, "status", parse_status);
  if (!stat || !status) {
    failed.error = {model::ErrorCode::vanished, fmt::format("process {} ended while it was looked at", pid), {}};
    return tl::make_unexpected(std::move(failed));
  }
  EarlyEvidence evidence;
  model::ProcessCapture& capture = evidence.capture;
  capture.host = failed.host;
  capture.pid = pid;
  capture.ns_pid = status->innermost_pid();
  capture.parent_pid = stat->parent_pid;
  capture.start_time_ticks = stat->start_time_ticks;
  capture.captured_at_unix_ns = unix_ns();
  capture.kernel_state = stat->state;
  capture.exe = proc.exe(pid, access->live_tid);
  capture.tracer_pid = access->tracer_pid;
  capture.tracer_name = access->tracer_name;
  for (const model::Error& limit : access->limits) capture.problems.push_back({"pid", std::to_string(pid), limit});
  evidence.access = std::move(*access);
  return evidence;
}

void read_late_evidence(const ProcFiles& proc, model::ProcessCapture& capture) {
  const auto note = [&](const model::Error& error) {
    capture.problems.push_back({"pid", std::to_string(capture.pid), error});
  };
  static constexpr std::size_t kMaxBytes = 1UL << 20;
  if (const auto text = read_of_living(proc, capture.pid, "cmdline", kMaxBytes))
    capture.command_line = parse_command_line(*text);
  else
    note(text.error());
  if (const auto text = read_of_living(proc, capture.pid, "environ", kMaxBytes))
    capture.environment = parse_environment(*text);
  else
    note(text.error());
  Family family = read_family(proc, capture.pid);
  capture.identity = std::move(family.identity);
  capture.descendants = std::move(family.descendants);
}

tl::expected<model::ProcessCapture, model::FailedProcess> read_process_evidence(const ProcFiles& proc,
                                                                                std::int32_t pid) {
  auto evidence = read_early_evidence(proc, read_tracer_rights(proc), pid);
  if (!evidence) {
    evidence.error().identity = identify(proc, pid);
    return tl::make_unexpected(std::move(evidence.error()));
  }
  read_late_evidence(proc, evidence->capture);
  return std::move(evidence->capture);
}

}  // namespace hangstack::sampler
