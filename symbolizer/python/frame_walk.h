#pragma once
// From a thread state to the chain of its frames, innermost first: addresses only, no names. What is read here is
// read inside the thread's window, so it is little: a few words per frame.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/memory_reader.h"
#include "symbolizer/python/layout.h"

namespace hangstack::symbolizer {

/// Frames of one chain at most; deeper ones are cut, and `broken` says so.
inline constexpr std::size_t kMaxPythonFrames = 16384;

struct RawFrame {
  std::uint64_t address = 0;      ///< of the frame in the process
  std::uint64_t code = 0;         ///< what the frame executes, tag bits cleared
  std::uint64_t instruction = 0;  ///< a pointer, or an index that may be negative (as int64), by InstructionKind
  std::int32_t copy_index = 0;    ///< tlbc_index: which copy of the code a pointer points into

  friend bool operator==(const RawFrame&, const RawFrame&) = default;
};

/// The frames that one call of the eval function runs, innermost first.
struct RawGroup {
  /// An address in the stack frame of that call: of its _PyCFrame (3.10, 3.11) or of its shim frame (3.12 on).
  std::optional<std::uint64_t> anchor;
  std::vector<RawFrame> frames;  ///< empty while the call has not entered its frame yet

  friend bool operator==(const RawGroup&, const RawGroup&) = default;
};

struct FrameWalk {
  std::vector<RawGroup> groups;  ///< innermost first
  std::string broken;            ///< why the chain could not be followed to its end; empty if it was

  [[nodiscard]] std::size_t frame_count() const;
  friend bool operator==(const FrameWalk&, const FrameWalk&) = default;
};

/// Never fails: what could not be read ends the chain, with the reason.
FrameWalk walk_frames(const Layout& layout, model::MemoryReader& memory, model::RemoteAddress thread_state);

}  // namespace hangstack::symbolizer
