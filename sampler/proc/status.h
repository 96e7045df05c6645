#pragma once
// /proc/PID/status and /proc/PID/task/TID/status (proc_pid_status(5); fs/proc/array.c).

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "model/capture.h"
#include "model/error.h"

namespace hangstack::sampler {

struct Status {
  std::int32_t thread_group = 0;        ///< Tgid: the pid of the process that the thread belongs to
  std::int32_t tracer_pid = 0;          ///< 0: not traced, or traced from outside the reader's pid namespace
  std::vector<std::int32_t> ns_pids;    ///< the id in each pid namespace, the reader's first, the innermost last
  std::array<std::uint32_t, 4> uids{};  ///< real, effective, saved, file system
  std::array<std::uint32_t, 4> gids{};
  model::SignalState signals;
  std::uint64_t cap_permitted = 0;  ///< bit n stands for capability n
  std::uint64_t cap_effective = 0;
  int seccomp = 0;                    ///< 0 off, 1 strict, 2 filter
  std::optional<bool> kernel_thread;  ///< Kthread, since Linux 6.10
  std::uint64_t voluntary_switches = 0;
  std::uint64_t nonvoluntary_switches = 0;

  /// In the innermost pid namespace; 0 if the kernel does not say (before 4.1).
  [[nodiscard]] std::int32_t innermost_pid() const { return ns_pids.empty() ? 0 : ns_pids.back(); }

  friend bool operator==(const Status&, const Status&) = default;
};

/// `malformed_input` if a known line makes no sense or the switch counts, which come last, are missing. Lines that this
/// kernel does not write keep their defaults.
model::Expected<Status> parse_status(std::string_view text);

}  // namespace hangstack::sampler
