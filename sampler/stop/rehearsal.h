#pragma once
// All that a strict stop will read, read once beforehand while everything runs.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "model/capture.h"
#include "sampler/memory/thread_window.h"
#include "sampler/proc/proc_files.h"

namespace hangstack::sampler {

/// After it, memory for the real reading can be made ready, and what reads the same again need not be interpreted while
/// everything stands still: an inspector's reads follow from the bytes that it read before (model/inspector.h).
class Rehearsal {
 public:
  /// Copies the stacks of those threads that sleep, into the window's arena, and lets the inspector read all of them.
  Rehearsal(const ProcFiles& proc, std::int32_t pid, std::span<const model::ThreadCapture> threads,
            ThreadWindow& window, std::size_t stack_bytes);

  [[nodiscard]] std::size_t copied_bytes() const { return copied_bytes_; }
  /// Every page that the inspector read outside the stacks.
  [[nodiscard]] const RecordingMemory::Pages& pages() const { return all_pages_; }

  /// Whether an inspector would read the same as here: the thread has the same stack, rsp and rip, and none of its
  /// pages is among those that changed (ascending). `index` is its place among the threads of the rehearsal. Where
  /// there is an interpreter, a thread that none of it was found for is not sure: its fs_base may show more.
  [[nodiscard]] bool is_unchanged(std::size_t index, const model::RegisterSet& registers, const StackCopy& stack,
                                  std::span<const std::uint64_t> changed_pages) const;

 private:
  struct Part {
    model::RegisterSet registers;
    StackCopy stack;
    RecordingMemory::Pages pages;
  };
  std::vector<Part> parts_;
  RecordingMemory::Pages all_pages_;
  std::size_t copied_bytes_ = 0;
};

}  // namespace hangstack::sampler
