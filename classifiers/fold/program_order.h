#pragma once
// Where one rank stands in the program, seen from another.

#include <cstdint>
#include <map>
#include <string>

#include "classifiers/states/process_state.h"

namespace hangstack::classifiers {

enum class Position : std::uint8_t {
  before,     ///< in the last common function it is at an earlier line
  same_line,  ///< it has not gone deeper than the line from which the other one went on
  after,      ///< in the last common function it is at a later line
  behind,     ///< its source says that it has passed the call in an earlier iteration and will come to it again
  branch,     ///< the same line called another function, or its source says that the call is not reached from there
  past,       ///< its source says that it has passed the call and that no loop leads back
  finished,   ///< it left the program: interpreter exit, or the process group is being destroyed
  unknown,    ///< no common frames
};

struct Placement {
  Position position = Position::unknown;
  std::string text;  ///< "job.py:17, before job.py:20 in train_step"
};

/// Text of Python files by path.
using Sources = std::map<std::string, std::string>;

/// Compares Python frames from the outermost on. Where the source of the function in which they part is at hand, its
/// blocks decide (source_flow.h); without it, line numbers: a later line may then also be an earlier iteration.
Placement place_of(const ProcessFacts& rank, const ProcessFacts& peer, const Sources& sources);

}  // namespace hangstack::classifiers
