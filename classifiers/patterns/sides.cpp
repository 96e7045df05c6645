#include "classifiers/patterns/sides.h"

#include <algorithm>
#include <iterator>

namespace hangstack::classifiers {

using model::RankSet;

RankSet smaller_sides(const std::vector<RankSet>& sides) {
  if (sides.empty()) return {};
  RankSet all;
  for (const RankSet& side : sides) all = all.united(side);
  const auto largest = std::ranges::max_element(sides, {}, &RankSet::size);
  const bool tie = std::ranges::count(sides, largest->size(), &RankSet::size) > 1;
  return tie ? all : all.minus(*largest);
}

}  // namespace hangstack::classifiers
