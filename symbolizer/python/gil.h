#pragma once
// The global interpreter lock: who holds it, who waits for it.

#include <cstdint>

#include "model/capture.h"
#include "model/memory_reader.h"
#include "symbolizer/python/runtime.h"

namespace hangstack::symbolizer {

/// Address of the thread state that holds the interpreter's GIL; 0 if nobody does, or a free-threaded interpreter runs
/// without it. A few words are read, so that it can be asked inside a thread's window.
std::uint64_t gil_holder(model::MemoryReader& memory, const Runtime& runtime, const Interpreter& interpreter);

/// Whether a thread sleeps on the GIL's own condition variable or mutex, by the futex address that the kernel shows.
/// True only while it sleeps: between two tries, which CPython makes every 5 ms, it does not.
bool sleeps_on_gil(const Runtime& runtime, const Interpreter& interpreter, const model::ThreadCapture& thread);

/// 3.15 on: the thread state says that it wants the GIL. False for earlier versions.
bool requests_gil(model::MemoryReader& memory, const Runtime& runtime, std::uint64_t thread_state);

/// A garbage collection of the interpreter is under way. False if not known (3.8).
bool collects_garbage(model::MemoryReader& memory, const Runtime& runtime, const Interpreter& interpreter);

/// The interpreter is being shut down.
bool is_finalizing(model::MemoryReader& memory, const Runtime& runtime);

}  // namespace hangstack::symbolizer
