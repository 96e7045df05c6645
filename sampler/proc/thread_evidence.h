#pragma once
// What /proc tells of one thread.

#include <optional>

#include "model/capture.h"
#include "model/error.h"
#include "sampler/proc/proc_files.h"
#include "sampler/proc/schedule.h"

namespace hangstack::sampler {

/// Everything of a thread but its stack, with the registers that the kernel shows of one that sleeps: from stat,
/// status, syscall, wchan, schedstat and sched, in this order, none of which takes a lock that a stuck process holds. A
/// file that may not be read leaves its field empty and a word in `problems`. `vanished` if the thread ended meanwhile.
/// `clock` serves many threads; without one the call makes its own, which moves the caller to the thread's processor
/// (RunQueueClock).
model::Expected<model::ThreadCapture> read_thread_evidence(const ProcFiles& proc, std::int32_t pid, std::int32_t tid,
                                                           RunQueueClock* clock = nullptr);

/// The counters of a thread that sleeps; none if it runs, has ended, or its files may not be read. `asleep_s` stays
/// empty.
std::optional<model::ThreadClocks> read_clocks_at_rest(const ProcFiles& proc, std::int32_t pid, std::int32_t tid);

}  // namespace hangstack::sampler
