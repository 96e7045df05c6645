#pragma once
// Equivalence classes of ranks.

#include <vector>

#include "classifiers/fold/facts.h"

namespace hangstack::classifiers {

/// Ranks of equal state and equal blocking chain are one group. Ranks that moved are grouped more coarsely, by state
/// and by the user's function, because each moving rank stands elsewhere. Groups that hold a culprit come first, then
/// the smaller ones.
std::vector<model::Group> groups_of(const JobFacts& job, const model::RankSet& culprits);

/// What the RANKS table says of one rank: the machine name of its state.
std::vector<model::RankRow> rank_rows(const JobFacts& job);

}  // namespace hangstack::classifiers
