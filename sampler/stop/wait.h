#pragma once
// The one place that waits for a tracee.

#include <chrono>
#include <cstdint>

namespace hangstack::sampler {

enum class WaitOutcome : std::uint8_t {
  stopped,
  ended,      ///< exited, killed, or is no tracee any more
  timed_out,  ///< still running at the deadline
};

struct WaitResult {
  WaitOutcome outcome = WaitOutcome::ended;
  int signal = 0;  ///< the stop is a signal's delivery: pass it on when letting go
};

/// How long a stop is waited for without sleeping in between. A thread that runs stops within that time, and to sleep
/// and be woken would cost it as much again. A thread that slept may need our processor to stop: it must get it soon.
inline constexpr std::chrono::microseconds kWaitForRunning{120};
inline constexpr std::chrono::microseconds kWaitForSleeping{15};

/// Waits for a ptrace stop of `tid`, at least one look even if `deadline` has passed. Looks again and again for
/// `sleepless`, then sleeps between looks: a blocking wait could not be bounded without signals of our own.
WaitResult wait_for_stop(std::int32_t tid, std::chrono::steady_clock::time_point deadline,
                         std::chrono::microseconds sleepless);

}  // namespace hangstack::sampler
