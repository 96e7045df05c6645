#pragma once
// How threads with equal stacks are written.

#include "report/text/layout.h"
#include "report/words/stack_classes.h"

namespace hangstack::report {

/// Who the threads are, and how they were found.
void print_stack_heading(Page& page, const StackClass& stack);

/// Every frame, innermost first, and why the stack ends.
void print_frames(Page& page, const model::Thread& thread);

/// The chain of names over a few lines, outermost first.
void print_chain(Page& page, const model::Thread& thread);

}  // namespace hangstack::report
