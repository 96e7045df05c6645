#include "symbolizer/python/debug_offsets.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace hangstack::symbolizer {
namespace {

constexpr std::uint64_t kCookie = 0x7970677562656478;  // "xdebugpy"

/// The tables of Debian's 3.14.10 and 3.15.2, as they lie in the section .PyRuntime.
const std::vector<std::uint64_t> kTable314{
    kCookie, 51251952, 0,    316616, 784,  808, 225864, 7280, 7272, 7344, 7360, 7408, 7688, 7672, 7680, 16,
    7784,    0,        7800, 7792,   7992, 0,   832,    0,    8,    16,   72,   152,  160,  232,  32,   88,
    8,       0,        56,   80,     74,   64,  0,      216,  112,  120,  128,  136,  68,   52,   96,   104,
    208,     0,        16,   8,      416,  24,  88,     168,  40,   32,   16,   40,   24,   16,   200,  24,
    40,      32,       48,   32,     40,   24,  16,     32,   16,   24,   40,   16,   32,   64,   32,   16,
    40,      264,      192,  160,    24,   72,  67,     0,    8,    24,   304,  8076, 0,    4,    512};
const std::vector<std::uint64_t> kTable315{
    kCookie, 51315440, 0,    346568, 912,  936, 226240, 7272, 7264, 7336, 7352, 7400, 7592, 7576, 7584, 16,
    7736,    0,        7752, 7744,   7944, 0,   888,    0,    8,    16,   72,   80,   88,   96,   176,  184,
    256,     32,       36,   40,     136,  288, 0,      88,   8,    0,    56,   80,   74,   64,   0,    216,
    112,     120,      128,  136,    68,   52,  96,     104,  208,  0,    16,   8,    424,  24,   88,   168,
    32,      288,      944,  888,    40,   32,  16,     40,   24,   16,   200,  24,   40,   32,   48,   32,
    40,      24,       16,   32,     16,   24,  40,     16,   32,   64,   32,   16,   40,   56,   176,  112,
    120,     1120,     104,  160,    24,   72,  67,     0,    8,    24,   344,  8028, 0,    4,    512};

std::span<const std::byte> bytes(const std::vector<std::uint64_t>& words) { return std::as_bytes(std::span(words)); }

TEST(DebugOffsets, TableOf314) {
  const auto layout = layout_from_debug_offsets(bytes(kTable314));
  ASSERT_TRUE(layout) << layout.error().message;
  EXPECT_EQ(version_text(*debug_offsets_version(bytes(kTable314))), "3.14.10");
  EXPECT_EQ(layout->minor, 14);
  EXPECT_EQ(layout->runtime.interpreters_head, 808U);
  EXPECT_EQ(layout->interpreter.threads_head, 7344U);
  EXPECT_EQ(layout->interpreter.gil, 16U);
  EXPECT_EQ(layout->gil.last_holder, 8U);
  EXPECT_EQ(layout->gil.locked, 16U);
  EXPECT_EQ(layout->thread.frame, 72U);
  EXPECT_EQ(layout->thread.native_thread_id, 160U);
  EXPECT_EQ(layout->frame.owner, 74U);
  EXPECT_TRUE(layout->frame.tagged_code);
  EXPECT_EQ(layout->code.instructions, 208U);
  EXPECT_EQ(layout->object.compact_size, 56U);
}

TEST(DebugOffsets, TableOf315HasOtherGroups) {
  const auto layout = layout_from_debug_offsets(bytes(kTable315));
  ASSERT_TRUE(layout) << layout.error().message;
  EXPECT_EQ(layout->minor, 15);
  EXPECT_EQ(layout->thread.base_frame, 80U);
  EXPECT_EQ(layout->thread.thread_id, 176U);
  EXPECT_EQ(layout->thread.gil_requested, 40U);
  EXPECT_EQ(layout->frame.owner, 74U);
  EXPECT_EQ(layout->code.line_table, 136U);
  EXPECT_EQ(layout->object.dict_keys, 32U);
  EXPECT_EQ(layout->object.text_length, 16U);
}

TEST(DebugOffsets, ForeignVersionsAndCookiesAreRefused) {
  auto table = kTable314;
  table[1] = 0x031000f0;  // 3.16
  EXPECT_EQ(layout_from_debug_offsets(bytes(table)).error().code, model::ErrorCode::unsupported_python);
  table[1] = 0x1'00000000;
  EXPECT_EQ(debug_offsets_version(bytes(table)), std::nullopt);
  table = kTable314;
  table[0] ^= 1;
  EXPECT_EQ(debug_offsets_version(bytes(table)), std::nullopt);
  EXPECT_EQ(debug_offsets_version({}), std::nullopt);
}

TEST(DebugOffsets, ATableThatIsCutShortIsRefused) {
  for (std::size_t words = 0; words < 80; ++words) {
    const std::vector<std::uint64_t> part(kTable314.begin(), kTable314.begin() + static_cast<std::ptrdiff_t>(words));
    EXPECT_FALSE(layout_from_debug_offsets(bytes(part))) << words;
  }
}

/// Every word that the layout uses, made too large or misaligned, is noticed.
TEST(DebugOffsets, OffsetsOutsideTheirStructAreRefused) {
  const auto good = layout_from_debug_offsets(bytes(kTable315));
  ASSERT_TRUE(good);
  for (const std::uint64_t wrong : {~0ULL, 1ULL << 40U, 1ULL << 62U}) {
    for (std::size_t i = 2; i < kTable315.size(); ++i) {
      auto table = kTable315;
      table[i] = wrong;
      const auto layout = layout_from_debug_offsets(bytes(table));
      if (!layout) continue;
      EXPECT_EQ(layout->thread.frame, good->thread.frame) << i;
      EXPECT_EQ(layout->frame.previous, good->frame.previous) << i;
      EXPECT_EQ(layout->frame.code, good->frame.code) << i;
      EXPECT_EQ(layout->frame.instruction, good->frame.instruction) << i;
      EXPECT_EQ(layout->code.file_name, good->code.file_name) << i;
      EXPECT_EQ(layout->code.line_table, good->code.line_table) << i;
      EXPECT_EQ(layout->interpreter.threads_head, good->interpreter.threads_head) << i;
      EXPECT_EQ(layout->gil.last_holder, good->gil.last_holder) << i;
    }
  }
  auto table = kTable315;
  table[26] = 73;  // current_frame
  const auto layout = layout_from_debug_offsets(bytes(table));
  ASSERT_FALSE(layout);
  EXPECT_NE(layout.error().message.find("thread_state.current_frame"), std::string::npos) << layout.error().message;
}

}  // namespace
}  // namespace hangstack::symbolizer
