#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "ingest/lines/encoding.h"
#include "ingest/lines/prefixes.h"

namespace hangstack::ingest {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

std::optional<int> rank_by(std::string_view line, PrefixKind kind) {
  const auto prefix = prefix_of(line, kind);
  return prefix ? prefix->rank : std::nullopt;
}

TEST(Lines, Utf16OfBothOrdersIsTranslated) {
  const std::string little(
      "\xFF\xFE"
      "a\0\n\0\xE9\0\x3D\xD8\x00\xDE",
      12);
  const std::string big(
      "\xFE\xFF"
      "\0a\0\n\0\xE9\xD8\x3D\xDE\x00",
      12);
  EXPECT_EQ(as_lines(little), "a\n\u00e9\U0001F600");
  EXPECT_EQ(as_lines(big), "a\n\u00e9\U0001F600");
}

TEST(Lines, Utf16ThatIsNoneIsReplaced) {
  EXPECT_EQ(as_lines(std::string("\xFF\xFE"
                                 "a\0\x00\xDE"
                                 "b\0c",
                                 9)),
            "a\uFFFD"
            "b")
      << "the last byte is half a unit";
  EXPECT_EQ(as_lines(std::string("\xFF\xFE\x3D\xD8", 4)), "\uFFFD");
}

TEST(Lines, MarksCarriageReturnsAndColoursAreTakenOff) {
  EXPECT_EQ(as_lines("\xEF\xBB\xBF"
                     "a\r\nb\rc\r\n"),
            "a\nb\rc\n");
  EXPECT_EQ(as_lines("\x1b[36mred\x1b[0m\nplain\x1b\n"), "red\nplain\n");
  EXPECT_EQ(as_lines("\xff\x80"), "\xff\x80") << "bytes that are no UTF-8 stay";
}

TEST(Prefixes, OfEachLauncher) {
  EXPECT_EQ(rank_by(" 3: words", PrefixKind::task), 3);
  EXPECT_EQ(rank_by("12:", PrefixKind::task), 12);
  EXPECT_EQ(rank_by("12:30: a time", PrefixKind::task), std::nullopt);
  EXPECT_EQ(rank_by("[1,5]<stdout>:words", PrefixKind::tag), 5);
  EXPECT_EQ(rank_by("[prterun-node-77@1,5]<stderr>: words", PrefixKind::tag), 5);
  EXPECT_EQ(rank_by("[5] words", PrefixKind::bracket), 5);
  EXPECT_EQ(rank_by("[5]words", PrefixKind::bracket), std::nullopt);
  EXPECT_EQ(rank_by("[default5]:words", PrefixKind::role), 5);
  EXPECT_EQ(rank_by("[rank5]: words", PrefixKind::torch_rank), 5);
  EXPECT_EQ(rank_by("[rank5]: words", PrefixKind::role), std::nullopt);
  EXPECT_EQ(rank_by("[rank5]:[E1130 23:13:23.03 ProcessGroupNCCL.cpp:685] [Rank 5]", PrefixKind::torch_rank), 5);
  EXPECT_EQ(prefix_of("[pod/train-3/main] words", PrefixKind::pod)->label, "pod/train-3/main");
  EXPECT_EQ(prefix_of("(Worker pid=7, ip=10.0.0.2) words", PrefixKind::ray)->length, 28U);
  EXPECT_EQ(rank_by("99999999: words", PrefixKind::task), std::nullopt);
}

TEST(Prefixes, TheLinesOfTasksAreToldApart) {
  const auto streams =
      split_by_prefix("0: a\n1: b\n\n0:   indented\n1: d\nsrun: error: words\n0:\n0: e\n1: f\n1: g\n1: h\n1: i\n");
  ASSERT_THAT(streams, SizeIs(3));
  EXPECT_EQ(streams[0].rank, 0);
  EXPECT_EQ(streams[0].text, "a\n  indented\n\ne\n");
  EXPECT_THAT(streams[0].lines, ElementsAre(1, 4, 7, 8));
  EXPECT_EQ(line_in_file(streams[0], 2), 4U);
  EXPECT_EQ(streams[1].text, "b\nd\nf\ng\nh\ni\n");
  EXPECT_EQ(streams[2].label, "");
  EXPECT_EQ(streams[2].rank, std::nullopt);
  EXPECT_EQ(streams[2].text, "srun: error: words\n");
}

TEST(Prefixes, PrefixesInFrontOfEachOther) {
  const auto streams = split_by_prefix(
      "[pod/a-0/main] [rank4]: a\n[pod/a-1/main] [rank5]: b\n[pod/a-0/main] [rank4]: c\n[pod/a-1/main] [rank5]: d\n");
  ASSERT_THAT(streams, SizeIs(2));
  EXPECT_EQ(streams[0].rank, 4);
  EXPECT_EQ(streams[0].text, "a\nc\n");
  EXPECT_THAT(streams[1].lines, ElementsAre(2, 4));
}

TEST(Prefixes, LinesBetweenThoseOfOneRankAreItsOwn) {
  const auto streams = split_by_prefix("[rank4]: a\n[rank4]: b\n#0 f\n\n[rank4]: c\n[rank4]: d\n");
  ASSERT_THAT(streams, SizeIs(1));
  EXPECT_EQ(streams[0].rank, 4);
  EXPECT_EQ(streams[0].text, "a\nb\n#0 f\n\nc\nd\n");
}

TEST(Prefixes, NumbersOfLinesAreNoRanks) {
  EXPECT_THAT(split_by_prefix("1: a\n2: b\n3: c\n4: d\n"), SizeIs(1));
  EXPECT_EQ(split_by_prefix("1: a\n2: b\n3: c\n4: d\n")[0].text, "1: a\n2: b\n3: c\n4: d\n");
}

TEST(Prefixes, AFewLinesThatLookSoAreNoPrefixes) {
  const auto streams = split_by_prefix("[0] a\n[0] b\nc\nd\ne\n");
  ASSERT_THAT(streams, SizeIs(1));
  EXPECT_TRUE(streams[0].lines.empty());
}

}  // namespace
}  // namespace hangstack::ingest
