#pragma once
// Where rbp must have pointed, for a thread that was read without a stop: the kernel shows rsp and rip of a blocked
// thread, and code that is built with frame pointers has its CFA at rbp + 16.

#include <cstdint>
#include <optional>

#include "model/address.h"
#include "model/memory_reader.h"
#include "model/registers.h"
#include "model/snapshot.h"
#include "symbolizer/native/call_frame_row.h"
#include "symbolizer/native/process_modules.h"

namespace hangstack::symbolizer {

struct FoundFramePointer {
  std::uint64_t rbp = 0;
  /// The distance from rsp agrees with the function's prologue. Otherwise only the return address spoke for it, which
  /// a left-over of an earlier call can do too: then every call further out must be proved (call_site.h).
  bool by_frame_size = false;
  model::FrameTrust trust = model::FrameTrust::guess;
};

struct FramePointerSearch {
  const CallFrameRow& row;      ///< in force at `lookup`, with its CFA at rbp + n
  model::RemoteAddress lookup;  ///< an address in the function
  std::uint64_t sp = 0;         ///< its stack pointer
};

/// `row` needs rbp in the shape that compilers give frame pointer code, so that the search makes sense.
bool has_frame_pointer_shape(const CallFrameRow& row);

/// None if nothing on the stack is plausible, or if two places are. What is found has to be confirmed by a stack that
/// goes on from there to its outermost frame.
std::optional<FoundFramePointer> find_frame_pointer(const FramePointerSearch& search, ProcessModules& modules,
                                                    model::MemoryReader& memory);

}  // namespace hangstack::symbolizer
