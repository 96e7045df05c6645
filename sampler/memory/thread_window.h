#pragma once
// What is read of a thread while it stands still: its stack, and what the inspector wants.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "model/capture.h"
#include "model/inspector.h"
#include "sampler/memory/live_memory.h"
#include "sampler/memory/recording_memory.h"
#include "sampler/memory/stack_arena.h"

namespace hangstack::sampler {

/// The copied part of a stack; `bytes` lie in the window's arena until its `reset`.
struct StackCopy {
  model::RemoteAddress address;
  std::span<const std::byte> bytes;
  std::uint64_t limit = 0;  ///< end of the mapping that holds the stack pointer
};

/// One object serves all threads of a process. Memory, recording and inspector are borrowed.
class ThreadWindow {
 public:
  struct Sources {
    LiveMemory* memory = nullptr;  ///< null: maps cannot be read, so no memory is touched
    RecordingMemory* recording = nullptr;
    model::Inspector* inspector = nullptr;  ///< may be null
  };
  /// `arena_bytes` are touched beforehand.
  ThreadWindow(Sources sources, std::size_t arena_bytes);

  /// Copies [SP - 128, SP + stack_bytes) within its mapping for each stack pointer, in one batch. 128 bytes below the
  /// stack pointer belong to the function (System V ABI, 3.2.2). A stack pointer outside every known mapping gives what
  /// is present, at most 256 KiB.
  std::vector<StackCopy> copy_stacks(std::span<const std::uint64_t> stack_pointers, std::size_t stack_bytes);

  /// Lets the inspector read the thread's frames; gives the pages that it read.
  RecordingMemory::Pages inspect(const model::ThreadCapture& thread, const StackCopy& stack);

  /// Puts both into the capture.
  static void keep(model::ThreadCapture& thread, const StackCopy& stack, const RecordingMemory::Pages& pages);

  void reset() { arena_.reset(); }

  [[nodiscard]] const Sources& sources() const { return sources_; }

 private:
  StackCopy copy_unmapped(std::uint64_t stack_pointer, std::size_t stack_bytes);

  Sources sources_;
  StackArena arena_;
};

}  // namespace hangstack::sampler
