#include "symbolizer/python/line_table.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <vector>

namespace hangstack::symbolizer {
namespace {

std::vector<std::byte> bytes(std::initializer_list<int> values) {
  std::vector<std::byte> made;
  for (const int value : values) made.push_back(static_cast<std::byte>(value & 0xff));
  return made;
}

constexpr auto kLnotab = LineTableKind::lnotab;
constexpr auto kLinetable = LineTableKind::linetable;
constexpr auto kLocations = LineTableKind::locations;

TEST(Lnotab, StepsForwardsAndBackwards) {
  const auto table = bytes({0, 1, 10, 5, 4, -3});
  EXPECT_EQ(line_of(kLnotab, table, 100, -1), 100);  // not started
  EXPECT_EQ(line_of(kLnotab, table, 100, 0), 101);
  EXPECT_EQ(line_of(kLnotab, table, 100, 8), 101);
  EXPECT_EQ(line_of(kLnotab, table, 100, 10), 106);
  EXPECT_EQ(line_of(kLnotab, table, 100, 14), 103);
  EXPECT_EQ(line_of(kLnotab, table, 100, 100000), 103);
}

TEST(Lnotab, StepsOfMoreThan127LinesAndMoreThan255Bytes) {
  const auto table = bytes({255, 0, 45, 127, 0, 73});
  EXPECT_EQ(line_of(kLnotab, table, 1, 299), 1);
  EXPECT_EQ(line_of(kLnotab, table, 1, 300), 201);
}

TEST(Lnotab, AnOddByteAtTheEndAndAnEmptyTable) {
  EXPECT_EQ(line_of(kLnotab, bytes({0, 1, 7}), 5, 20), 6);
  EXPECT_EQ(line_of(kLnotab, {}, 5, 20), 5);
}

TEST(Linetable, RangesOfBytes) {
  const auto table = bytes({4, 1, 6, 2, 0, 100, 2, -101});
  EXPECT_EQ(line_of(kLinetable, table, 10, -1), 10);
  EXPECT_EQ(line_of(kLinetable, table, 10, 0), 11);
  EXPECT_EQ(line_of(kLinetable, table, 10, 4), 13);
  EXPECT_EQ(line_of(kLinetable, table, 10, 9), 13);
  EXPECT_EQ(line_of(kLinetable, table, 10, 10), 12);  // an entry without length only moves the line
  EXPECT_EQ(line_of(kLinetable, table, 10, 12), std::nullopt);
}

TEST(Linetable, Minus128IsNoLineAndDoesNotMove) {
  const auto table = bytes({2, 1, 2, -128, 2, 1});
  EXPECT_EQ(line_of(kLinetable, table, 10, 2), std::nullopt);
  EXPECT_EQ(line_of(kLinetable, table, 10, 4), 12);
}

TEST(Locations, EveryFormOfEntry) {
  const auto table = bytes({
      0x80 | (0 << 3) | 0,  0x21,                 // short, 1 unit, same line
      0x80 | (11 << 3) | 1, 4,    9,              // one line, 2 units, line + 1
      0x80 | (12 << 3) | 0, 4,    9,              // one line, 1 unit, line + 2
      0x80 | (13 << 3) | 0, 0x03,                 // no columns, line - 1
      0x80 | (14 << 3) | 7, 0x42, 0x02, 1, 1, 1,  // long, 8 units, line + 65
      0x80 | (15 << 3) | 0,                       // none
      0x80 | (10 << 3) | 0, 1,    2,              // one line, line + 0
  });
  const std::vector<std::optional<int>> expected{50,  51,  51,  53,  52,  117,          117, 117,
                                                 117, 117, 117, 117, 117, std::nullopt, 117, std::nullopt};
  for (std::size_t unit = 0; unit < expected.size(); ++unit) {
    EXPECT_EQ(line_of(kLocations, table, 50, static_cast<std::int64_t>(unit) * 2), expected[unit]) << unit;
  }
  EXPECT_EQ(line_of(kLocations, table, 50, -2), 50);
}

TEST(Locations, HostileTablesEnd) {
  EXPECT_EQ(line_of(kLocations, {}, 1, 0), std::nullopt);
  EXPECT_EQ(line_of(kLocations, bytes({0x01, 0x02}), 1, 0), std::nullopt);        // no entry at all
  EXPECT_EQ(line_of(kLocations, bytes({0xe8, 0x7f, 0x7f}), 1, 0), std::nullopt);  // a number without an end
  const std::vector<std::byte> endless(100000, std::byte{0x7f});
  EXPECT_EQ(line_of(kLocations, endless, 1, 0), std::nullopt);
  std::vector<std::byte> climbing;
  for (int i = 0; i < 100; ++i) {
    for (const int b : {0xe8, 0x7e, 0x7f, 0x7f, 0x7f, 0x7f, 0x3f}) climbing.push_back(static_cast<std::byte>(b));
  }
  EXPECT_EQ(line_of(kLocations, climbing, 1, 1000), std::nullopt);
}

}  // namespace
}  // namespace hangstack::symbolizer
