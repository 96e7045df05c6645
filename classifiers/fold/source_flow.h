#pragma once
// Whether control can come from one line of a function to another, by the blocks of its source.

#include <cstdint>
#include <string_view>

namespace hangstack::classifiers {

enum class Flow : std::uint8_t {
  follows,         ///< the other line comes later on a path from here
  skipped,         ///< an exclusive branch, or a return before it: not in this run through the function or loop body
  passed,          ///< the other line is on every way to here, and no loop of the function leads back to it
  passed_in_loop,  ///< likewise, and a loop leads back: an iteration behind, or gone another way in it
  earlier,         ///< the other line is above, but on a path that need not have been taken
  unknown,         ///< no source, other functions, one line
};

/// From line `from` to line `to` of `source`, both in one function (or both at module level).
Flow flow_between(std::string_view source, int from, int to);

/// `line` stands in the body of a loop of its function.
bool in_loop(std::string_view source, int line);

/// `line` is the head of a loop, which may have its body behind the colon.
bool heads_loop(std::string_view source, int line);

}  // namespace hangstack::classifiers
