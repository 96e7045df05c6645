#pragma once
// /proc/PID/task/TID/syscall (proc_pid_syscall(5); fs/proc/base.c).

#include <cstdint>
#include <optional>
#include <string_view>

#include "model/capture.h"
#include "model/error.h"

namespace hangstack::sampler {

struct SyscallLine {
  bool running = false;                   ///< it is on a processor, or waits for one: nothing else is known
  std::optional<model::SystemCall> call;  ///< none if `running`; number -1 without arguments outside a system call
  std::uint64_t stack_pointer = 0;
  std::uint64_t program_counter = 0;

  friend bool operator==(const SyscallLine&, const SyscallLine&) = default;
};

/// The registers that the line shows: rsp, rip and, in a system call, its six arguments.
model::RegisterSet shown_registers(const SyscallLine& line);

/// One of "running", "-1 SP PC", "NR A0 A1 A2 A3 A4 A5 SP PC"; else `malformed_input`.
model::Expected<SyscallLine> parse_syscall(std::string_view text);

}  // namespace hangstack::sampler
