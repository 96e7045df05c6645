#pragma once
// Pages of docs/topics, which cmake/embed_pages.py makes part of the program.

#include <span>
#include <string_view>

namespace hangstack::cli {

struct Topic {
  std::string_view name;
  std::string_view title;  ///< one line
  std::string_view text;   ///< Markdown
};

/// Ascending by name.
std::span<const Topic> topics();

}  // namespace hangstack::cli
