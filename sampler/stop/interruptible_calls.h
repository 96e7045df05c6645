#pragma once
// System calls that a ptrace stop would end with EINTR although no signal handler runs.

#include <cstdint>
#include <optional>
#include <string_view>

#include "model/capture.h"
#include "sampler/proc/proc_files.h"

namespace hangstack::sampler {

/// The name of the call that `thread` is in, if a stop would make it fail with EINTR: those of signal(7), "Interruption
/// of system calls and library functions by stop signals"; io_getevents and io_uring_enter (fs/aio.c,
/// io_uring/io_uring.c return -EINTR themselves); ioctl, whose drivers do as they like; any request to a FUSE server
/// (wchan request_wait_answer: the server is told to interrupt it). Calls on sockets count whether they have a timeout
/// or not: it cannot be seen from outside. Reads /proc/PID/fd for read and write.
std::optional<std::string_view> call_that_a_stop_would_fail(const ProcFiles& proc, std::int32_t pid,
                                                            const model::ThreadCapture& thread);

}  // namespace hangstack::sampler
