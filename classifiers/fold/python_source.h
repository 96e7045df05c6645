#pragma once
// Just enough of Python's grammar to see blocks: logical lines with their indentation and first word.

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace hangstack::classifiers {

struct LogicalLine {
  int first = 0;  ///< source line, from 1
  int last = 0;   ///< differs from `first` inside brackets, long strings and after backslashes
  int indent = 0;
  std::string_view word;  ///< "if", "return", "train_step"...: the first identifier; empty if there is none
};

/// Points into `source`. Blank lines and comments are left out; tabs count to the next multiple of eight. Foreign
/// text gives some lines or none; at most 200,000 lines are read.
std::vector<LogicalLine> logical_lines(std::string_view source);

/// The position in `lines` of the one that covers source line `line`.
std::optional<std::size_t> line_at(const std::vector<LogicalLine>& lines, int line);

/// The position of the header whose block holds the line at `at` (a line before it with a smaller indent).
std::optional<std::size_t> parent_of(const std::vector<LogicalLine>& lines, std::size_t at);

}  // namespace hangstack::classifiers
