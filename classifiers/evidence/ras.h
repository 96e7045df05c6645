#pragma once
// What NCCL's RAS said, as observations of the source "ras".

#include <vector>

#include "classifiers/fold/facts.h"

namespace hangstack::classifiers {

/// Of communicators on which the ranks have launched differently: who is behind, in which collective, by the counts of
/// each; of others: who does not answer RAS, or has an error. At most eight.
std::vector<model::Observation> ras_observations(const JobFacts& job);

/// Takes the confidence of a verdict that stands on counts down to `possible` if RAS and memory count differently, and
/// says so.
void doubt_by_ras(model::Verdict& verdict, const JobFacts& job);

}  // namespace hangstack::classifiers
