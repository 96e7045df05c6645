#pragma once
// What would work here and what not, tried out rather than guessed.

#include <chrono>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "sampler/proc/proc_files.h"

namespace hangstack::sampler {

struct Check {
  std::string name{};    ///< "ptrace", "yama", "symbols of libtorch_cpu.so": unique within its pid
  std::int32_t pid = 0;  ///< 0: about this host
  bool ok = false;
  bool needed = false;    ///< without it there is no stack, or none of a thread that runs
  std::string finding{};  ///< one sentence; bytes from the target are as they are, and not printable as such
  std::string fix{};      ///< what to do; empty if ok

  friend bool operator==(const Check&, const Check&) = default;
};

/// The host, then each pid. On the host everything is tried on a child process made for it: read its registers by
/// PROC/PID/syscall, its memory, stop it for a moment. Nothing is done to `pids` but reading: /proc, the heads of their
/// ELF files in memory, the section tables of those files. Each pid is read by a child of hangstack that is left behind
/// at the deadline: then what it found so far stands, with a failed check that says so.
std::vector<Check> examine(const ProcFiles& proc, std::span<const std::int32_t> pids,
                           std::chrono::milliseconds deadline = std::chrono::seconds(10));

/// The parts of it. `examine_process` tells each check as soon as it is known, and may block for good: in a child only.
using CheckSink = std::function<void(const Check&)>;
std::vector<Check> examine_host(const ProcFiles& proc);
void examine_process(const ProcFiles& proc, std::int32_t pid, const CheckSink& tell);

}  // namespace hangstack::sampler
