#pragma once
// When a thread last ran: /proc/PID/task/TID/schedstat and sched, and the clock that their times are on.

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>

#include "sampler/proc/proc_files.h"

namespace hangstack::sampler {

/// Third number of schedstat: how often the thread was put on a processor. None if the line is something else, or
/// "0 0 0", which the kernel writes without CONFIG_SCHED_INFO (proc_pid_schedstat in fs/proc/base.c).
std::optional<std::uint64_t> parse_run_count(std::string_view schedstat);

/// `se.exec_start` of sched: milliseconds on the clock of the processor it ran on, when the thread last ran
/// (proc_sched_show_task in kernel/sched/debug.c). None if there is no such line, or 0 (never ran, or moved to another
/// processor since).
std::optional<double> parse_exec_start_ms(std::string_view sched);

/// The clock of `se.exec_start`. Each processor has its own, which stands still while interrupts are served or the
/// hypervisor has taken the processor away (update_rq_clock_task in kernel/sched/core.c): two of them may be apart by
/// seconds after some days. So each is read where it counts: the calling thread moves there for a moment.
class RunQueueClock {
 public:
  /// A folder that only looks like /proc has one clock for all processors: its thread-self/sched.
  explicit RunQueueClock(const ProcFiles& proc) : proc_(proc) {}

  /// The kernel shows this clock at all (CONFIG_SCHED_DEBUG).
  [[nodiscard]] bool works() const { return read_here().has_value(); }

  /// Seconds since `exec_start_ms`, which `processor` wrote; never negative, and short by what the hypervisor took from
  /// that processor since. None if the processor is unknown (-1), the caller may not run there (cpuset), or the kernel
  /// has no CONFIG_SCHED_DEBUG.
  [[nodiscard]] std::optional<double> asleep_s(double exec_start_ms, int processor);

 private:
  struct Reading {
    double clock_ms = 0;
    std::int64_t monotonic_ns = 0;
  };
  [[nodiscard]] std::optional<Reading> read_here() const;
  [[nodiscard]] std::optional<Reading> read_on(int processor) const;

  const ProcFiles& proc_;
  std::map<int, std::optional<Reading>> readings_;
};

}  // namespace hangstack::sampler
