#pragma once
// Registers and stack of a thread that sleeps, without stopping it.

#include <cstddef>
#include <cstdint>

#include "model/capture.h"
#include "sampler/memory/thread_window.h"
#include "sampler/proc/proc_files.h"
#include "sampler/proc/schedule.h"

namespace hangstack::sampler {

enum class LookOutcome : std::uint8_t {
  seen,     ///< the capture holds its registers and stack, of one moment
  running,  ///< it was on a processor, or waited for one
  moved,    ///< it ran in between: what was read is worth nothing; `syscall` is the call that it was in before
  ended,
  refused,  ///< the kernel does not show its registers to us; the reason is in its problems
};

/// One try. Fills `registers` (rsp, rip and, in a system call, the six argument registers), `syscall`, `memory`,
/// `stack_limit` and `method` of `thread`, the rest of which is known already and is read again, by `clock`, if the
/// thread ran since.
LookOutcome look(const ProcFiles& proc, std::int32_t pid, model::ThreadCapture& thread, ThreadWindow& window,
                 std::size_t stack_bytes, RunQueueClock& clock);

}  // namespace hangstack::sampler
