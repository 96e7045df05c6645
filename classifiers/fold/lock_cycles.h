#pragma once
// Threads of one process that wait for each other, by what they hold: mutexes, and Python's GIL.

#include <optional>
#include <vector>

#include "classifiers/states/process_state.h"

namespace hangstack::classifiers {

/// The thread that holds what `thread` waits for; null if that is not known, or it waits for no lock.
const ThreadFacts* holder_of_lock(const ProcessFacts& process, const ThreadFacts& thread);

/// The thread that holds the GIL of one of the process's interpreters; null if none is known to.
const ThreadFacts* holder_of_gil(const ProcessFacts& process);

/// Each waits for the next one, and the last one for the first. A thread that locks its own mutex again is one alone.
struct LockCycle {
  std::vector<const ThreadFacts*> threads;  ///< not empty; each behind the one that waits for it
  bool through_gil = false;
};

/// The first cycle of the process whose threads stood still. No thread leaves one by itself, unless a lock has a time
/// limit.
std::optional<LockCycle> lock_cycle_of(const ProcessFacts& process);

}  // namespace hangstack::classifiers
