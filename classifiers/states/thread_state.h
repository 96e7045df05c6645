#pragma once
// From a stack, a system call and the kernel's state letter to what the thread waits in.

#include "classifiers/normalize/frames.h"
#include "classifiers/states/state.h"

namespace hangstack::classifiers {

/// The first that applies: GIL (also on the way back from what it waited for), communication operation, device, Python
/// library, lock, sleep, child process, I/O, condition, running. States T, t, D and Z of the
/// kernel stand above all of them; `beneath` then keeps what the stack says.
ThreadState state_of(const ThreadView& view);

/// Whether the CUDA function of this name waits for the whole device, though nobody asked for that (CUDA C++
/// Programming Guide, "Implicit Synchronization"; cudaFree).
bool waits_for_device_unasked(std::string_view name);

/// Whether libcuda's function of this name loads code, as the first launch of a kernel does (CUDA 11.7 and later). It
/// waits for libcuda's own locks, which a thread may hold that waits for the device.
bool is_loading_call(std::string_view name);

/// The user's innermost frame: Python first; in a thread without Python the innermost named native frame that
/// is no wait and not in a library that waits for others.
std::optional<CallSite> call_site_of(const ThreadView& view);

/// The next frame of the user around the call site. None in a thread without Python.
std::optional<CallSite> caller_of(const ThreadView& view);

}  // namespace hangstack::classifiers
