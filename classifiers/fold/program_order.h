#pragma once
// Where one rank stands in the program, seen from another.

#include <cstdint>
#include <string>

#include "classifiers/states/process_state.h"

namespace hangstack::classifiers {

enum class Position : std::uint8_t {
  before,     ///< in the last common function it is at an earlier line
  same_line,  ///< it has not gone deeper than the line from which the other one went on
  after,      ///< in the last common function it is at a later line
  branch,     ///< the same line called another function
  finished,   ///< it left the program: interpreter exit, or the process group is being destroyed
  unknown,    ///< no common frames
};

struct Placement {
  Position position = Position::unknown;
  std::string text;  ///< "job.py:17, before job.py:20 in train_step"
};

/// Compares Python frames from the outermost on. A loop spoils the order: a later line may also be an earlier
/// iteration, and stacks do not show which iteration a rank is in.
Placement place_of(const ProcessFacts& rank, const ProcessFacts& peer);

}  // namespace hangstack::classifiers
