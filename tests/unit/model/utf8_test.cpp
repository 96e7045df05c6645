#include "model/utf8.h"

#include <gtest/gtest.h>

namespace hangstack::model {
namespace {

TEST(Utf8, DecodesEveryLength) {
  EXPECT_EQ(decode_at("a", 0).value, U'a');
  EXPECT_EQ(decode_at("é", 0).value, U'é');
  EXPECT_EQ(decode_at("訓", 0).value, U'訓');
  EXPECT_EQ(decode_at("😀", 0).value, U'😀');
  EXPECT_EQ(decode_at("😀", 0).length, 4U);
}

TEST(Utf8, RefusesOverlongFormsSurrogatesAndTruncation) {
  EXPECT_FALSE(decode_at("\xC0\xAF", 0).valid);
  EXPECT_FALSE(decode_at("\xE0\x80\xAF", 0).valid);
  EXPECT_FALSE(decode_at("\xED\xA0\x80", 0).valid);
  EXPECT_FALSE(decode_at("\xF4\x90\x80\x80", 0).valid);
  EXPECT_FALSE(decode_at("\xFF", 0).valid);
  EXPECT_FALSE(decode_at("\x80", 0).valid);
  EXPECT_FALSE(decode_at("\xE8\xA8", 0).valid);
  EXPECT_EQ(decode_at("\xE8\xA8", 0).length, 2U) << "the maximal subpart counts once";
  EXPECT_EQ(decode_at("\xED\xA0\x80", 0).length, 1U);
}

}  // namespace
}  // namespace hangstack::model
