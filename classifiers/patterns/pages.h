#pragma once
// What is documented of each pattern: classifiers/patterns/NAME.md, which cmake/embed_pages.py makes part of the
// program.

#include <span>
#include <string_view>

namespace hangstack::classifiers {

struct PatternPage {
  std::string_view name;
  std::string_view title;                          ///< one line
  std::string_view text;                           ///< Markdown, without the examples
  std::span<const std::string_view> verification;  ///< facts that must all be true, most specific first
  std::string_view reference;                      ///< a document or an address
};

/// Ascending by name: one for each pattern that a report can name, whether a rule finds it or not.
std::span<const PatternPage> pattern_pages();

/// Null if no pattern has that name.
const PatternPage* page_of(std::string_view pattern);

}  // namespace hangstack::classifiers
