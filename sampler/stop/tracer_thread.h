#pragma once

#include <cstddef>
#include <functional>

namespace hangstack::sampler {

/// Runs `work` in a thread of its own and waits for its end. A tracer is a thread: whatever `work` seized and could not
/// let go, because it never stopped, is let go by the kernel when the thread ends (exit_ptrace, kernel/ptrace.c).
/// A page fault of ours costs the held thread time: the stack and the program's code are touched before `work` begins.
void run_as_tracer(const std::function<void()>& work);

/// Touches this much of the heap and gives it back, for the `work` to come. It stays there in the child that reads a
/// target (child_process.cpp), which has one heap for all its threads.
void make_heap_ready(std::size_t bytes);

}  // namespace hangstack::sampler
