#pragma once
// Which processes make one job, and which of them are its ranks.

#include <vector>

#include "classifiers/fold/facts.h"

namespace hangstack::classifiers {

/// Processes with the job key of one rendezvous belong together; without a key, those that take part in
/// communication and have one parent. Workers and launchers go to the job of their ranks. Ranks without a number are
/// counted by pid. A process that belongs to nobody is a job of its own. Most ranks first.
/// `processes` must outlive the result.
std::vector<JobFacts> jobs_of(const model::JobSnapshot& snapshot, const std::vector<ProcessFacts>& processes);

}  // namespace hangstack::classifiers
