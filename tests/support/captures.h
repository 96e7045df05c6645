#pragma once
// Captures made by hand for tests.

#include "model/capture.h"

namespace hangstack::tests {

inline std::vector<std::byte> bytes_of(std::string_view text) {
  const auto* begin = reinterpret_cast<const std::byte*>(text.data());
  return {begin, begin + text.size()};
}

/// Every field set, strings with bytes that are not UTF-8 among them.
inline model::ProcessCapture sample_capture() {
  using namespace model;
  ProcessCapture c;
  c.host = "gpu07";
  c.pid = 41877;
  c.ns_pid = 17;
  c.parent_pid = 41800;
  c.start_time_ticks = 123456;
  c.captured_at_unix_ns = 1764400000000000000;
  c.exe = "/usr/bin/python3.11";
  c.command_line = {"python", "train.py", "caf\xe9", "\xff\xc3\xa9"};
  c.environment = {{"RANK", "5"}, {"NCCL_DEBUG", "INFO"}};
  c.identity = {Role::rank, 5, 5, 8, "RANK", "gpu07:29500", 0};
  c.kernel_state = 'S';
  c.tracer_pid = 99;
  c.tracer_name = "gdb";
  c.mappings = {{0x1000, 0x2000, 0, 42, "fd:01", true, false, true, false, true, "/opt/caf\xe9.so"},
                {0x7000, 0x9000, 0, 0, "00:00", true, true, false, false, false, "[stack]"}};
  c.files = {{"/opt/caf\xe9.so", "00ff", 42, "fd:01", true, {"/proc/41877/root/opt/caf\xe9.so"}}};
  ThreadCapture t;
  t.tid = 41877;
  t.ns_tid = 17;
  t.name = "python\x01\xfe";
  t.kernel_state = 'S';
  t.wchan = "futex_wait_queue";
  t.syscall = SystemCall{202, {1, 2, 3, 4, 5, 6}};
  t.clocks = {10, 20, 30, 40, 50, 60.5};
  t.clocks_after_stop = ThreadClocks{10, 21, 31, 40, 51, std::nullopt};
  t.signals = {1, 2, 3, 4, 0x200};
  t.method = CaptureMethod::looked;
  t.registers.set(Register::rsp, 0x8000);
  t.registers.set(Register::rip, 0x1234);
  t.fs_base = 0x7f0000000740;
  t.memory = {{RemoteAddress{0x8000}, bytes_of("stack")},
              {RemoteAddress{0x9000}, bytes_of(std::string_view("\0\1", 2))}};
  t.stack_limit = 0x9000;
  t.stopped_us = 12.5;
  t.problems = {{ErrorCode::timed_out, "thread 3 did not stop", "look again"}};
  ThreadCapture worker;
  worker.tid = 41878;
  worker.kernel_worker = true;
  c.threads = {t, worker};
  c.memory = {{RemoteAddress{0x5000}, bytes_of("interpreter")}};
  c.stopped_us = 33;
  c.problems = {{"file", "/opt/x.so", {ErrorCode::bad_elf, "/opt/x.so is cut short", ""}}};
  return c;
}

}  // namespace hangstack::tests
