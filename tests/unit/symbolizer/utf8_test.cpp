#include "symbolizer/utf8.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace hangstack::symbolizer {
namespace {

TEST(Utf8, WellFormedTextStays) {
  for (const char* text :
       {"", "plain", "caf\xc3\xa9", "\xe2\x82\xac", "\xf0\x9d\x92\x87", "\xed\x9f\xbf", "\xf4\x8f\xbf\xbf"}) {
    EXPECT_EQ(valid_utf8(text), text);
  }
}

TEST(Utf8, EachBadSequenceIsReplaced) {
  EXPECT_EQ(valid_utf8("a\xff"
                       "b"),
            "a\xef\xbf\xbd"
            "b");
  EXPECT_EQ(valid_utf8("\xc0\x80"), "\xef\xbf\xbd\xef\xbf\xbd");                  // overlong NUL
  EXPECT_EQ(valid_utf8("\xed\xa0\x80"), "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");  // a surrogate
  EXPECT_EQ(valid_utf8("\xe2\x82"), "\xef\xbf\xbd");                              // cut off
  EXPECT_EQ(valid_utf8("\xf5\x80\x80\x80").size(), 12U);                          // above U+10FFFF
}

TEST(Utf8, AnyBytesMakeTheRoundTripThroughCharacters) {
  std::string all;
  for (int i = 0; i < 256; ++i) all += static_cast<char>(i);
  EXPECT_EQ(characters_as_bytes(bytes_as_characters(all)), all);
  EXPECT_EQ(valid_utf8(bytes_as_characters(all)), bytes_as_characters(all));
  EXPECT_THROW(characters_as_bytes("\xe2\x82\xac"), std::invalid_argument);
  EXPECT_THROW(characters_as_bytes("\xc3"), std::invalid_argument);
}

}  // namespace
}  // namespace hangstack::symbolizer
