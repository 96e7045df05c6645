#pragma once
// The processes below a rank: who else may have to move before it can.

#include <optional>
#include <string>
#include <vector>

#include "classifiers/fold/facts.h"
#include "model/diagnosis.h"

namespace hangstack::classifiers {

/// What the rank waits for may come from its children: a child's end, a dataloader's batch, a queue, a pipe.
bool may_wait_for_children(StateKind kind);

/// "child process 2371 (gzip) uses a processor": the first descendant that used one between the samples, or runs; none
/// if all rest.
std::optional<std::string> busy_child(const ProcessFacts& process);

/// For the ranks of `set` that may wait for their children: what these do, from their stacks if they were read too.
std::vector<model::Observation> children_of(const JobFacts& job, const model::RankSet& set);

/// Where a rank of `set` may wait for a child that works: the verdict is undecided, and says against itself why.
/// Whether it did so.
bool doubt_by_child(model::Verdict& verdict, const JobFacts& job, const model::RankSet& set);

/// To read the children too; none if there is none that was not read.
std::optional<model::NextStep> with_children(const JobFacts& job, const model::RankSet& set);

}  // namespace hangstack::classifiers
