#pragma once
// What hangstack's own stop did to a thread's counters.

#include <cstdint>
#include <span>

#include "model/capture.h"
#include "sampler/proc/proc_files.h"

namespace hangstack::sampler {

/// For threads that were stopped and let go: fills `clocks_after_stop` of each as soon as it sleeps again. One that was
/// in no system call is asked once; the others are waited for, 2 ms in all. Call it while nothing is held.
void read_clocks_after_stop(const ProcFiles& proc, std::int32_t pid, std::span<model::ThreadCapture> threads);

}  // namespace hangstack::sampler
