#include "report/printable.h"

#include <gtest/gtest.h>

namespace hangstack::report {
namespace {

TEST(Printable, EscapesControlsControlsAndBidi) {
  EXPECT_EQ(printable("\x1b[2J"), "\\x1b[2J");
  EXPECT_EQ(printable("a\nb\tc\r"), "a\\nb\\tc\\x0d");
  EXPECT_EQ(printable("\x7f"), "\\x7f");
  EXPECT_EQ(printable("\u0085"), "\\x85");
  EXPECT_EQ(printable("a\u202Eb"), "a\\u{202e}b");
  EXPECT_EQ(printable("\u2066\u200b\ufeff"), "\\u{2066}\\u{200b}\\u{feff}");
  EXPECT_EQ(printable("\xff"
                      "a"),
            "\uFFFD"
            "a");
  EXPECT_EQ(printable(std::string_view("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(printable("plain é 訓"), "plain é 訓");
}

TEST(Printable, WidthCountsColumnsNotBytes) {
  EXPECT_EQ(columns("abc"), 3);
  EXPECT_EQ(columns("é"), 1);
  EXPECT_EQ(columns("e\u0301"), 1);
  EXPECT_EQ(columns("訓練"), 4);
  EXPECT_EQ(columns("シャ"), 4);
  EXPECT_EQ(columns("가"), 2);
  EXPECT_EQ(columns("😀"), 2);
  EXPECT_EQ(columns("├─ ×…"), 5);
  EXPECT_EQ(columns("\uFFFD"), 1);
}

}  // namespace
}  // namespace hangstack::report
