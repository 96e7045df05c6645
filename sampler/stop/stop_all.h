#pragma once
// Stops every thread of a process for one strict moment.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/capture.h"
#include "sampler/memory/thread_window.h"
#include "sampler/proc/proc_files.h"

namespace hangstack::sampler {

struct StopAllResult {
  double stopped_us = 0;                  ///< from the first stop to the last release
  std::vector<std::int32_t> new_threads;  ///< stopped, but not among the given: born meanwhile; appended to `threads`
  std::vector<std::int32_t> not_stopped;  ///< did not stop in time, or the kernel refused
  std::vector<std::int32_t> ended;
};

/// `threads` are those that may be stopped (not in D, Z, T, t, no kernel workers); `others` are left alone. Threads are
/// listed until no new one appears. All of them stand still while stacks are copied and the inspector reads; nothing
/// else is read then but the list of threads.
StopAllResult stop_all(const ProcFiles& proc, std::int32_t pid, std::vector<model::ThreadCapture>& threads,
                       const std::vector<std::int32_t>& others, ThreadWindow& window, std::size_t stack_bytes);

}  // namespace hangstack::sampler
