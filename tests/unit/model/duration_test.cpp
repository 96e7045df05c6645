#include "model/duration.h"

#include <gtest/gtest.h>

namespace hangstack::model {
namespace {

TEST(Duration, IsSaidAsPeopleSayIt) {
  EXPECT_EQ(duration(2), "2.0 s");
  EXPECT_EQ(duration(252.4), "4 min 12 s");
  EXPECT_EQ(duration(59.99), "1 min 0 s");
  EXPECT_EQ(duration(3600 * 3 + 300), "3 h 5 min");
  EXPECT_EQ(duration(86400 * 2 + 4 * 3600), "2 d 4 h");
  EXPECT_EQ(duration(-1), "?");
  EXPECT_EQ(duration(1e300), "?");
}

}  // namespace
}  // namespace hangstack::model
