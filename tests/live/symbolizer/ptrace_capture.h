#pragma once
// The reference for the unwinder's tests: a whole process held by ptrace, all registers, whole stacks. Not what
// hangstack does (see sampler/): simple, and of one strict moment.

#include <functional>

#include "model/capture.h"
#include "model/inspector.h"

namespace hangstack::tests {

/// Stops all threads of `pid`, reads them and lets them go. Threads that do not stop within 200 ms (vfork) are read
/// from /proc as a look would. At most `stack_bytes` of each stack. `inspector` may be null; it is called as the
/// sampler calls it. Throws std::runtime_error if the process cannot be read.
model::ProcessCapture ptrace_capture(std::int32_t pid, std::size_t stack_bytes = std::size_t{64} << 20,
                                     model::Inspector* inspector = nullptr);

/// The same capture as if its threads had been looked at only: rsp, rip and the arguments of the system call.
model::ProcessCapture as_looked(model::ProcessCapture capture);

}  // namespace hangstack::tests
