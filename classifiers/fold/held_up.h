#pragma once
// Who holds a group up, by the ranks' flight recorders alone: where there are no stacks, they are all there is.

#include <vector>

#include "classifiers/fold/facts.h"

namespace hangstack::classifiers {

/// A group in which `waiting` has an operation unfinished because of `behind`.
struct HeldUp {
  const PendingGroup* group = nullptr;
  const model::RecordedOperation* operation = nullptr;  ///< the first that is unfinished
  model::RankSet waiting;
  model::RankSet behind;
};

/// Groups with members that have not begun the operation that others have unfinished: by their last entry, or else by
/// PyTorch's count of what they began, where the counts of those that wait agree with their own entries.
std::vector<HeldUp> not_begun(const JobFacts& job);

/// Groups with members that have an operation unfinished that others have finished, though none can finish it before
/// all have done their part: a collective in which each needs something from each. At most half of the group.
std::vector<HeldUp> not_finished(const JobFacts& job);

/// Groups of which a member is not among the ranks, and all others have the same operation unfinished.
std::vector<HeldUp> without_member(const JobFacts& job);

/// Has begun something, a send or receive too, that is not finished.
bool has_unfinished(const ProcessFacts& process);

}  // namespace hangstack::classifiers
