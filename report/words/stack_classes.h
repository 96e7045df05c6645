#pragma once
// Threads with equal stacks are one.

#include <vector>

#include "model/diagnosis.h"

namespace hangstack::report {

struct ThreadOfProcess {
  const model::ProcessSnapshot* process = nullptr;
  const model::Thread* thread = nullptr;
};

/// Threads that would print the same frames; never empty. The first one stands for all.
struct StackClass {
  std::vector<ThreadOfProcess> members;
};

/// Of its members' processes that are ranks.
model::RankSet ranks_of(const StackClass& stack);

/// The last sample of each process that gave one, in the order of the report. Borrows the report.
std::vector<const model::ProcessSnapshot*> last_samples(const model::Report& report);

/// Every thread: blocking ones first, idle helpers last, else in the order of the processes.
/// With `fold`, threads whose stack, state and role are equal are one class. Borrows the processes.
std::vector<StackClass> stack_classes(const std::vector<const model::ProcessSnapshot*>& processes, bool fold);

}  // namespace hangstack::report
