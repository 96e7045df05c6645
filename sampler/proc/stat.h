#pragma once
// /proc/PID/stat and /proc/PID/task/TID/stat (proc_pid_stat(5); do_task_stat in fs/proc/array.c).

#include <cstdint>
#include <string>
#include <string_view>

#include "model/error.h"

namespace hangstack::sampler {

/// Task flags (include/linux/sched.h, Linux 5.12 to 6.18).
inline constexpr std::uint32_t kTaskIoWorker = 0x00000010;    ///< PF_IO_WORKER: an io_uring worker
inline constexpr std::uint32_t kTaskUserWorker = 0x00004000;  ///< PF_USER_WORKER (since 6.4): made by the kernel
inline constexpr std::uint32_t kTaskKernel = 0x00200000;      ///< PF_KTHREAD

struct Stat {
  std::int32_t pid = 0;  ///< the tid in a thread's file
  std::string comm;      ///< raw bytes: blanks, parentheses and newlines are possible
  char state = '?';
  std::int32_t parent_pid = 0;
  std::uint32_t flags = 0;
  std::uint64_t user_ticks = 0;
  std::uint64_t system_ticks = 0;
  std::int32_t thread_count = 0;  ///< of the whole process; 0 after its end
  std::uint64_t start_time_ticks = 0;
  std::uint64_t start_stack = 0;  ///< 0 or 1 if the reader may not know it
  std::int32_t processor = -1;    ///< where it runs, or ran last; -1 if the kernel does not say

  /// A thread that the kernel made: it has no user stack. Only `kTaskKernel` says so of a whole process.
  [[nodiscard]] bool kernel_worker() const { return (flags & (kTaskKernel | kTaskIoWorker | kTaskUserWorker)) != 0; }

  friend bool operator==(const Stat&, const Stat&) = default;
};

/// `malformed_input` unless everything up to the start of the stack is there.
model::Expected<Stat> parse_stat(std::string_view text);

}  // namespace hangstack::sampler
