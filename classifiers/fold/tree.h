#pragma once
// The merged tree of blocked threads.

#include <vector>

#include "classifiers/fold/facts.h"

namespace hangstack::classifiers {

inline constexpr std::size_t kMostBranches = 24;  ///< below one node; the rest is one marker node

/// Blocking threads of all ranks from the outermost frame on, merged while ranks agree; a chain that does not split
/// is one node. Threads that carry an operation out for the blocking one (gloo workers) follow as roots of their
/// own, led by a marker frame "gloo worker" (kind `marker`, the thread's role as function).
std::vector<model::TreeNode> tree_of(const JobFacts& job);

}  // namespace hangstack::classifiers
