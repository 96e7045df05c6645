#include "model/rank_set.h"

#include <gtest/gtest.h>

namespace hangstack::model {
namespace {

TEST(RankSet, FoldsRunsAndKeepsSingles) {
  EXPECT_EQ((RankSet{0, 1, 2, 3, 4, 5, 7}).folded(), "0-5,7");
  EXPECT_EQ((RankSet{3}).folded(), "3");
  EXPECT_EQ(RankSet{}.folded(), "");
}

TEST(RankSet, ReadsWhatItWrites) {
  const RankSet ranks{0, 1, 2, 9, 11, 12};
  EXPECT_EQ(RankSet::parse(ranks.folded()).value(), ranks);
}

TEST(RankSet, RefusesTextThatIsNoSet) {
  for (const char* text : {"a", "1-", "-1", "3-1", "1,,2", "1 ", "99999999999", "0-1048576"}) {
    EXPECT_FALSE(RankSet::parse(text).has_value()) << text;
  }
}

TEST(RankSet, DifferenceAndUnion) {
  EXPECT_EQ((RankSet{0, 1, 2}).minus(RankSet{1}), (RankSet{0, 2}));
  EXPECT_EQ((RankSet{0, 2}).united(RankSet{1}), (RankSet{0, 1, 2}));
}

}  // namespace
}  // namespace hangstack::model
