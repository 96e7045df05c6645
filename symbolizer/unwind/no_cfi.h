#pragma once
// Ways on where no call frame information covers an address: the kernel's signal frame, and a proved frame pointer.

#include <optional>

#include "model/memory_reader.h"
#include "model/registers.h"
#include "symbolizer/native/process_modules.h"
#include "symbolizer/unwind/row_evaluator.h"
#include "symbolizer/unwind/unwinder.h"

namespace hangstack::symbolizer {

/// Is `frame.pc` the code that a signal handler returns to, "mov $15, %rax; syscall" (musl's has no call frame
/// information)? `place` is that of its look-up address.
bool is_signal_return(const UnwoundFrame& frame, const std::optional<ModulePlace>& place);

/// The registers that the kernel saved in the signal frame, where `sp` points when the handler has returned
/// (struct rt_sigframe, arch/x86/include/asm/sigframe.h). None if it is not in the recorded memory.
std::optional<CallerState> interrupted_state(std::uint64_t sp, model::MemoryReader& memory);

/// By rbp, if the function at `place` begins with "push %rbp; mov %rsp, %rbp" and a call of that very function
/// returns to the address beside the saved rbp. None otherwise: code without call frame information may use rbp freely.
std::optional<CallerState> caller_by_frame_pointer(const UnwoundFrame& frame, const ModulePlace& place,
                                                   const model::RegisterSet& registers, ProcessModules& modules,
                                                   model::MemoryReader& memory);

}  // namespace hangstack::symbolizer
