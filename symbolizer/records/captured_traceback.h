#pragma once
// The Python frames that PyTorch captured when an operation began: torch::CapturedTraceback
// (torch/csrc/profiler/combined_traceback.h), read without the interpreter.

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "model/memory_reader.h"
#include "model/records.h"
#include "symbolizer/python/code_object.h"
#include "symbolizer/python/runtime.h"

namespace hangstack::symbolizer {

/// Reads each code object and finds each line once. Borrows the interpreters and the memory.
class TracebackReader {
 public:
  /// Frames given at most: the innermost ones.
  static constexpr std::size_t kMostFrames = 64;

  TracebackReader(std::span<const Runtime> runtimes, model::MemoryReader& memory);

  /// Innermost first. `frames_offset`: where the vector of frames lies in the traceback, in bytes. Empty if there are
  /// none, and if one of them is no code object of any interpreter: such bytes are no traceback, or one that was freed.
  std::vector<model::RecordedFrame> read(model::RemoteAddress traceback, std::uint64_t frames_offset);

 private:
  struct Place {
    std::uint64_t code = 0;
    std::int32_t last_instruction = 0;
    auto operator<=>(const Place&) const = default;
  };
  const model::RecordedFrame* frame_at(const Place& place);

  model::MemoryReader& memory_;
  std::vector<std::unique_ptr<CodeReader>> codes_;  ///< one for each interpreter
  std::map<Place, model::RecordedFrame> frames_;
};

}  // namespace hangstack::symbolizer
