#pragma once
// Who a thread is, what it does, and what its frames are, in words. All is printable.

#include <string>
#include <string_view>
#include <vector>

#include "report/words/stack_classes.h"

namespace hangstack::report {

/// "ranks 0-2", "pids 41872-4", "threads 41872-4"; each list takes at most `width` columns.
std::vector<std::string> threads_in_words(const StackClass& stack, int width);

/// `"pt_main_thread"`, with Python's name for it if that says more.
std::string names_in_words(const StackClass& stack);

/// "sleeping in futex (futex_wait_queue), asleep for 4 min 12 s, did not move, read while it slept".
std::string facts_of(const StackClass& stack);

/// "py", "c", "in" (inlined), "gpu", "--" (marker).
std::string_view frame_mark(model::FrameKind kind);

/// The whole name up to 1000 bytes: JSON has longer ones. "??" if there is none.
std::string frame_name(const model::Frame& frame);

/// Source line, module and offset, whether it is a guess, why it has no name.
std::string frame_place(const model::Frame& frame);

/// `python train.py … (12 more)`: the program and what it runs. Options may hold secrets, and are left out.
/// Printable.
std::string short_command(const std::vector<std::string>& command_line);

}  // namespace hangstack::report
