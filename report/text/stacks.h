#pragma once
// Threads with equal stacks, and how one is written.

#include <string>
#include <vector>

#include "model/diagnosis.h"
#include "report/text/layout.h"

namespace hangstack::report {

struct ThreadOfProcess {
  const model::ProcessSnapshot* process = nullptr;
  const model::Thread* thread = nullptr;
};

/// Threads that would print the same frames; never empty. The first one stands for all.
struct StackClass {
  std::vector<ThreadOfProcess> members;
};

/// Every thread of the last samples: blocking ones first, idle helpers last, else in the order of the report.
/// With `fold`, threads whose stack, state and role are equal are one class. Borrows the report.
std::vector<StackClass> stack_classes(const model::Report& report, bool fold);

/// Who the threads are, and how they were found.
void print_stack_heading(Page& page, const StackClass& stack);

/// Every frame, innermost first, and why the stack ends.
void print_frames(Page& page, const model::Thread& thread);

/// The chain of names over a few lines, outermost first.
void print_chain(Page& page, const model::Thread& thread);

/// `python train.py … (12 more)`: the program and what it runs. Options may hold secrets, and are left out.
/// Printable.
std::string short_command(const std::vector<std::string>& command_line);

}  // namespace hangstack::report
