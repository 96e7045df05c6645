#pragma once
// Sets of ranks, always written folded: "0-5,7".

#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "model/error.h"

namespace hangstack::model {

class RankSet {
 public:
  RankSet() = default;
  RankSet(std::initializer_list<int> ranks) : ranks_(ranks) {}
  explicit RankSet(std::set<int> ranks) : ranks_(std::move(ranks)) {}

  /// Reads "0-5,7"; an error for anything else, and for more than 2^20 ranks.
  static Expected<RankSet> parse(std::string_view text);

  void insert(int rank) { ranks_.insert(rank); }
  [[nodiscard]] bool contains(int rank) const { return ranks_.contains(rank); }
  [[nodiscard]] std::size_t size() const { return ranks_.size(); }
  [[nodiscard]] bool empty() const { return ranks_.empty(); }
  [[nodiscard]] const std::set<int>& ranks() const& { return ranks_; }
  /// Of a set that is gone after the expression, so that a loop over it has what it loops over.
  [[nodiscard]] std::set<int> ranks() && { return std::move(ranks_); }

  [[nodiscard]] RankSet united(const RankSet& other) const;
  [[nodiscard]] RankSet minus(const RankSet& other) const;

  /// "0-5,7"; empty for the empty set.
  [[nodiscard]] std::string folded() const;

  friend bool operator==(const RankSet&, const RankSet&) = default;
  friend auto operator<=>(const RankSet&, const RankSet&) = default;

 private:
  std::set<int> ranks_;
};

}  // namespace hangstack::model
