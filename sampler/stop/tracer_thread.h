#pragma once

#include <functional>

namespace hangstack::sampler {

/// Runs `work` in a thread of its own and waits for its end. A tracer is a thread: whatever `work` seized and could not
/// let go, because it never stopped, is let go by the kernel when the thread ends (exit_ptrace, kernel/ptrace.c).
void run_as_tracer(const std::function<void()>& work);

}  // namespace hangstack::sampler
