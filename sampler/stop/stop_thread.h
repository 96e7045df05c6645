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
/// How long the stop of several threads is waited for, while those that have stopped stand still.
inline constexpr std::chrono::milliseconds kStopPatience{100};
/// How long the stop of a single thread is waited for: one that is ready to run may have to wait for a processor, on a
/// busy machine for hundreds of milliseconds. Nothing stands still meanwhile.
inline constexpr std::chrono::milliseconds kPatienceWithOne{1000};

/// Fills registers, `fs_base`, `syscall`, `memory`, `stack_limit`, `stopped_us` and `method`, and corrects the state of
/// a thread that has left its system call meanwhile. The caller has judged that a stop does no harm, and waits for it
/// no longer than `patience`. Errors: see Tracee.
model::Expected<void> stop_thread(model::ThreadCapture& thread, ThreadWindow& window, std::size_t stack_bytes,
                                  std::chrono::milliseconds patience);

}  // namespace hangstack::sampler
