#include "classifiers/patterns/pages.h"

#include <algorithm>

namespace hangstack::classifiers {

const PatternPage* page_of(std::string_view pattern) {
  const auto pages = pattern_pages();
  const auto found = std::ranges::find(pages, pattern, &PatternPage::name);
  return found == pages.end() ? nullptr : &*found;
}

}  // namespace hangstack::classifiers
