#pragma once
// Ranks that do different things at one place of their program.

#include <vector>

#include "model/rank_set.h"

namespace hangstack::classifiers {

/// The ranks of all sides but the largest; all ranks if no side is larger than each other one.
model::RankSet smaller_sides(const std::vector<model::RankSet>& sides);

}  // namespace hangstack::classifiers
