#pragma once
// When a thread last ran: /proc/PID/task/TID/schedstat and sched, and the clock that their times are on.

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "sampler/proc/proc_files.h"

namespace hangstack::sampler {

/// Third number of schedstat: how often the thread was put on a processor. None if the line is something else, or
/// "0 0 0", which the kernel writes without CONFIG_SCHED_INFO (proc_pid_schedstat in fs/proc/base.c).
std::optional<std::uint64_t> parse_run_count(std::string_view schedstat);

/// `se.exec_start` of sched: milliseconds on the clock of the processor it ran on, when the thread last ran
/// (proc_sched_show_task in kernel/sched/debug.c). None if there is no such line, or 0 (never ran, or moved to another
/// processor since).
std::optional<double> parse_exec_start_ms(std::string_view sched);

/// The clock of `se.exec_start`. It counts on each processor by itself and stands still there while interrupts are
/// served or the hypervisor has taken the processor away, if the kernel accounts for them (update_rq_clock_task in
/// kernel/sched/core.c): two processors may be apart by seconds after some days.
class RunQueueClock {
 public:
  /// Takes the time from the reader's own sched file after a nap of some microseconds; reads PROC/self/sched and
  /// PROC/stat. On kernels without CONFIG_SCHED_DEBUG there is no clock.
  explicit RunQueueClock(const ProcFiles& proc);

  [[nodiscard]] bool works() const { return base_ms_.has_value(); }

  /// Seconds since `exec_start_ms`, which `processor` (-1: unknown) wrote; never negative. With and without the time
  /// that processor's clock may have stood still, the smaller: it slept at least that long, within the 10 ms grain of
  /// PROC/stat. None if there is no clock.
  [[nodiscard]] std::optional<double> asleep_s(double exec_start_ms, int processor) const;

 private:
  std::optional<double> base_ms_;  ///< the clock of processor `base_processor_`...
  std::int64_t base_ns_ = 0;       ///< ...at this CLOCK_MONOTONIC time
  int base_processor_ = -1;
  std::vector<double> stood_still_ms_;  ///< by processor, since the machine started
};

/// By processor: milliseconds in interrupts and taken by the hypervisor (irq, softirq, steal of proc_stat(5)).
/// At most 8192 processors.
std::vector<double> parse_stood_still_ms(std::string_view stat, double ms_per_tick);

}  // namespace hangstack::sampler
