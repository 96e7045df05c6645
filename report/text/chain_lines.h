#pragma once
// A chain of frames over a few lines.

#include <string>
#include <vector>

#include "report/words/frame_names.h"

namespace hangstack::report {

struct ChainRoom {
  int first_line = 80;  ///< columns of the first line
  int others = 80;      ///< columns of the following lines
  int most_lines = 3;   ///< 0: as many as it takes
};

/// The labels joined by " > ". If they need more lines than there are, native frames in the middle give way to
/// "…" first, then Python frames in the middle: the outermost and the innermost frames tell the most.
/// At least one line; each fits its room.
std::vector<std::string> chain_lines(const std::vector<ChainStep>& steps, const ChainRoom& room);

}  // namespace hangstack::report
