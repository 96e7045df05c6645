#pragma once
// Facts within one process: who holds the GIL, which threads wait for one lock.

#include <vector>

#include "classifiers/fold/facts.h"
#include "model/diagnosis.h"

namespace hangstack::classifiers {

/// "thread 12 (main) waits for the GIL, which thread 15 holds in cudaStreamSynchronize"; one per process that has a
/// waiter whose holder is known. A holder that runs Python is everyday business and is left out.
std::vector<model::Observation> gil_facts(const JobFacts& job);

/// "thread 12 (main) waits at save job.cpp:88 for a mutex that thread 15 (worker) holds; that one waits for I/O"
std::vector<model::Observation> held_mutexes(const JobFacts& job);

/// Threads of one process that wait at one futex for a lock (not on a condition variable) whose holder is not known.
std::vector<model::Observation> shared_locks(const JobFacts& job);

/// Threads that are neither idle helpers nor the blocking one, where there are few: what else is going on.
std::vector<model::Observation> other_threads(const JobFacts& job);

}  // namespace hangstack::classifiers
