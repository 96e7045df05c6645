#pragma once
// Which thread holds the pthread mutex that another one waits for. glibc writes the owner's tid into every mutex that
// it locks (struct __pthread_mutex_s of bits/struct_mutex.h, glibc 2.26 to 2.41: lock, count, owner).

#include <cstdint>
#include <optional>

#include "model/capture.h"
#include "model/memory_reader.h"

namespace hangstack::symbolizer {

/// Address of the futex word if the call waits as a locked mutex makes it wait: FUTEX_WAIT without a bit set, or
/// FUTEX_LOCK_PI. Condition variables, semaphores and joins wait by FUTEX_WAIT_BITSET. None for other calls.
std::optional<model::RemoteAddress> awaited_mutex(const std::optional<model::SystemCall>& call);

/// The owner as the target's own pid namespace numbers it; 0 if nothing there looks like a mutex that is held and
/// waited for, or it cannot be read.
std::int32_t owner_of_mutex(model::MemoryReader& memory, model::RemoteAddress mutex);

/// The thread of `process` that holds what `thread` waits for; 0 if none of its live threads does.
std::int32_t lock_holder_of(const model::ThreadCapture& thread, const model::ProcessCapture& process,
                            model::MemoryReader& memory);

}  // namespace hangstack::symbolizer
