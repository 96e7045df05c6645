#pragma once
// What somebody may have meant by a name that does not exist.

#include <string_view>
#include <vector>

namespace hangstack::cli {

/// At most three of `names`, nearest first: those that differ from `word` in few letters, or hold it.
std::vector<std::string_view> nearest_names(std::string_view word, const std::vector<std::string_view>& names);

}  // namespace hangstack::cli
