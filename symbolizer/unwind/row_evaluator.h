#pragma once
// One step up the stack: a row of call frame information applied to registers and memory.

#include "model/memory_reader.h"
#include "model/registers.h"
#include "symbolizer/native/call_frame_row.h"
#include "symbolizer/unwind/dwarf_expression.h"

namespace hangstack::symbolizer {

struct CallerState {
  /// Known only where the row says so: a register whose rule is undefined, or whose saved value cannot be read, is
  /// unknown, not zero. rip is known unless the frame is the outermost.
  model::RegisterSet registers;
  std::uint64_t cfa = 0;
  bool outermost = false;  ///< the return address is undefined: there is no caller
};

/// The canonical frame address alone.
Evaluated<std::uint64_t> evaluate_cfa(const CallFrameRow& row, const model::RegisterSet& registers,
                                      model::MemoryReader& memory);

/// Fails if the CFA or the return address cannot be had.
Evaluated<CallerState> step(const CallFrameRow& row, const model::RegisterSet& registers, model::MemoryReader& memory);

}  // namespace hangstack::symbolizer
