#pragma once
// Which thread of the operating system each thread state belongs to.

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "model/capture.h"
#include "model/memory_reader.h"
#include "symbolizer/python/runtime.h"

namespace hangstack::symbolizer {

/// A thread state with the interpreter it belongs to. The pointers borrow from the runtimes.
struct ThreadStateRef {
  const Runtime* runtime = nullptr;
  const Interpreter* interpreter = nullptr;
  ThreadState state;
};

/// Maps by the tid that the C library keeps in struct pthread (at pthread_self()): it is right after a fork of any
/// kind and inside containers, unlike Python's own note of it. The tid's place in the struct is found by looking for
/// the tids of this process at one offset in the structs of all threads. Where that gives nothing: Python's note, the
/// thread pointer (fs_base equals pthread_self() on x86-64, glibc and musl), or the mapping that holds both the
/// thread's stack and its struct pthread.
class ThreadMap {
 public:
  /// Reads 1 KiB per thread state. Borrows `runtimes`.
  ThreadMap(const model::ProcessCapture& process, std::span<const Runtime> runtimes, model::MemoryReader& memory);

  /// The thread states of a thread: one, or more when it has entered subinterpreters; main interpreter first.
  [[nodiscard]] std::vector<ThreadStateRef> states_of(const model::ThreadCapture& thread) const;

  /// The thread that a thread state was mapped to; 0 if none. Takes no account of thread pointers.
  [[nodiscard]] std::int32_t tid_of(std::uint64_t thread_state) const;

 private:
  const model::ProcessCapture& process_;
  std::vector<ThreadStateRef> states_;
  std::map<std::uint64_t, std::int32_t> tids_;  ///< by address of the thread state
  // Asked while threads stand still: by index into the states, ascending.
  std::multimap<std::uint64_t, std::size_t> by_thread_pointer_;
  std::multimap<std::int32_t, std::size_t> by_tid_;
};

}  // namespace hangstack::symbolizer
