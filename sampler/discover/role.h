#pragma once
// Who is a rank, and what the others are to it. Pure.

#include <vector>

#include "model/identity.h"
#include "sampler/discover/process_tree.h"

namespace hangstack::sampler {

/// A process is a rank if it has a claim to a rank of its own: one that no rank above it has too, since children
/// inherit the environment. A process whose children have local ranks and which has none is their launcher. Without a
/// claim it is one if it has threads that only a rank has, or if it is one of several multiprocessing.spawn children
/// with torch whose parent is no rank (torch.multiprocessing.spawn sets RANK after the start, where /proc does not show
/// it): then its number is unknown, as it is of a program that a launcher started and whose environment may not be
/// read. Workers of a data loader can look like that only before PyTorch 2.5, which names them.
bool is_rank(const ProcessTree& tree, std::int32_t pid);

/// Never fails: an unknown pid is `other`.
model::RankIdentity identity_in(const ProcessTree& tree, std::int32_t pid);

/// All ranks, ascending. Of several with one claim the Python program; of siblings with one claim (a monitor next to
/// the training script) the one with most threads.
std::vector<std::int32_t> ranks_in(const ProcessTree& tree);

}  // namespace hangstack::sampler
