#include "cli/nearest_names.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace hangstack::cli {
namespace {

constexpr std::size_t kMostNames = 3;
constexpr std::size_t kLongestWord = 100;  // the words of a command line may be of any length
constexpr std::size_t kLettersPerSlip = 3;
constexpr std::size_t kShortestPart = 3;

/// Letters to insert, to delete and to change between the two (Levenshtein).
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t changed = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, row[j + 1] + 1, row[j] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::vector<std::string_view> nearest_names(std::string_view word, const std::vector<std::string_view>& names) {
  std::vector<std::pair<std::size_t, std::string_view>> near;
  if (word.empty() || word.size() > kLongestWord) return {};
  for (const std::string_view name : names) {
    const std::size_t slips = distance(word, name);
    const bool held = word.size() >= kShortestPart && name.find(word) != std::string_view::npos;
    if (held || slips <= 1 + word.size() / kLettersPerSlip) near.emplace_back(slips, name);
  }
  std::ranges::sort(near);
  near.resize(std::min(near.size(), kMostNames));
  std::vector<std::string_view> found;
  for (const auto& [slips, name] : near) found.push_back(name);
  return found;
}

}  // namespace hangstack::cli
