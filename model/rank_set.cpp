#include "model/rank_set.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <iterator>

namespace hangstack::model {
namespace {

constexpr int kMaxRanks = 1 << 20;

/// A non-negative number that fills the whole text, or -1.
int parse_rank(std::string_view text) {
  int value = -1;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  return code == std::errc{} && end == text.data() + text.size() && value >= 0 && value < kMaxRanks ? value : -1;
}

}  // namespace

Expected<RankSet> RankSet::parse(std::string_view text) {
  RankSet result;
  while (!text.empty()) {
    const auto comma = text.find(',');
    const auto item = text.substr(0, comma);
    const auto dash = item.find('-');
    const int first = parse_rank(item.substr(0, dash));
    const int last = dash == std::string_view::npos ? first : parse_rank(item.substr(dash + 1));
    if (first < 0 || last < first) {
      return failure(ErrorCode::malformed_input, fmt::format("\"{}\" is not a set of ranks", item),
                     "write ranks as in 0-5,7");
    }
    for (int rank = first; rank <= last; ++rank) result.insert(rank);
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
  }
  return result;
}

RankSet RankSet::united(const RankSet& other) const {
  RankSet result = *this;
  result.ranks_.insert(other.ranks_.begin(), other.ranks_.end());
  return result;
}

RankSet RankSet::minus(const RankSet& other) const {
  RankSet result;
  std::ranges::set_difference(ranks_, other.ranks_, std::inserter(result.ranks_, result.ranks_.end()));
  return result;
}

std::string RankSet::folded() const {
  std::string text;
  for (auto it = ranks_.begin(); it != ranks_.end();) {
    const int first = *it;
    int last = first;
    for (++it; it != ranks_.end() && *it == last + 1; ++it) last = *it;
    if (!text.empty()) text += ',';
    text += first == last ? fmt::format("{}", first) : fmt::format("{}-{}", first, last);
  }
  return text;
}

}  // namespace hangstack::model
