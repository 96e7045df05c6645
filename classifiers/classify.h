#pragma once
// From the stacks of all ranks to an argument. Pure.

#include <vector>

#include "model/diagnosis.h"

namespace hangstack::classifiers {

/// Judges every job in `snapshot`. Marks each thread of the last samples with its role, whether it is a suppressed
/// helper, whether it is the blocking thread of its process, and whether it moved between the samples.
/// Jobs come with the most ranks first; a process that belongs to no job is a job of its own.
std::vector<model::Job> classify(model::JobSnapshot& snapshot);

}  // namespace hangstack::classifiers
