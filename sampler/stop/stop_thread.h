#pragma once
// Stops one thread for as long as it takes to copy its registers and stack.

#include <chrono>
#include <cstddef>

#include "model/capture.h"
#include "model/error.h"
#include "sampler/memory/thread_window.h"

namespace hangstack::sampler {

/// A thread that stands still longer than this is let go by the end of the process that holds it (HoldAlarm).
inline constexpr std::chrono::milliseconds kLongestHold{500};
/// How long a stop is waited for: a thread that is ready to run may have to wait for a processor.
inline constexpr std::chrono::milliseconds kStopPatience{100};

/// Fills registers, `fs_base`, `syscall`, `memory`, `stack_limit`, `stopped_us` and `method`, and corrects the state of
/// a thread that has left its system call meanwhile. The caller has judged that a stop does no harm. Errors: see
/// Tracee.
model::Expected<void> stop_thread(model::ThreadCapture& thread, ThreadWindow& window, std::size_t stack_bytes);

}  // namespace hangstack::sampler
