#pragma once
// The one place that waits for a tracee of a sample (doctor tries a stop on a child of its own).

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

/// Waits for a ptrace stop of `tid`, at least one look even if `deadline` has passed. Polls: the asked stop comes
/// within microseconds if the thread has a processor, and a blocking wait could not be bounded without signals of our
/// own.
WaitResult wait_for_stop(std::int32_t tid, std::chrono::steady_clock::time_point deadline);

}  // namespace hangstack::sampler
