#include "symbolizer/python/objects.h"

#include <gtest/gtest.h>

#include "symbolizer/python/dict.h"
#include "symbolizer/python/layout.h"
#include "tests/support/memory_image.h"

namespace hangstack::symbolizer {
namespace {

using model::RemoteAddress;
using tests::MemoryImage;

constexpr std::uint64_t kAt = 0x10000;

/// A str of 3.11: kind from bit 2, compact bit 5, ascii bit 6.
template <typename Unit>
void put_string(MemoryImage& memory, const ObjectLayout& layout, const std::vector<Unit>& units, bool ascii,
                std::uint64_t at = kAt) {
  memory.reserve(at, layout.compact_size);
  memory.put<std::uint64_t>(at + layout.text_length, units.size());
  const std::uint32_t state = (static_cast<std::uint32_t>(sizeof(Unit)) | 8U | (ascii ? 16U : 0U));
  memory.put<std::uint32_t>(at + layout.text_state, state << layout.text_kind_bit);
  const std::uint64_t data = at + (ascii ? layout.ascii_size : layout.compact_size);
  for (std::size_t i = 0; i < units.size(); ++i) memory.put<Unit>(data + i * sizeof(Unit), units[i]);
}

TEST(PythonText, AsciiLatin1Ucs2AndUcs4BecomeUtf8) {
  const ObjectLayout layout = layout_3_11().object;
  MemoryImage memory;
  put_string<std::uint8_t>(memory, layout, {'a', 'b'}, true);
  EXPECT_EQ(read_text(memory, layout, RemoteAddress{kAt}), "ab");
  memory = {};
  put_string<std::uint8_t>(memory, layout, {'c', 'a', 'f', 0xe9}, false);
  EXPECT_EQ(read_text(memory, layout, RemoteAddress{kAt}), "café");
  memory = {};
  put_string<std::uint16_t>(memory, layout, {0x444, 0x20ac}, false);
  EXPECT_EQ(read_text(memory, layout, RemoteAddress{kAt}), "ф€");
  memory = {};
  put_string<std::uint32_t>(memory, layout, {'x', 0x20bb7}, false);
  EXPECT_EQ(read_text(memory, layout, RemoteAddress{kAt}), "x𠮷");
}

TEST(PythonText, FreeThreadedBuildsKeepTheKindAByteLater) {
  ObjectLayout layout = layout_3_12().object;
  layout.text_kind_bit = 8;
  MemoryImage memory;
  put_string<std::uint8_t>(memory, layout, {'a', 'b'}, true);
  EXPECT_EQ(read_text(memory, layout, RemoteAddress{kAt}), "ab");
}

TEST(PythonText, SurrogatesAndWhatIsNoCodePointAreReplaced) {
  const ObjectLayout layout = layout_3_11().object;
  MemoryImage memory;
  put_string<std::uint32_t>(memory, layout, {0xdc80, 0x110000, 'a'}, false);
  EXPECT_EQ(read_text(memory, layout, RemoteAddress{kAt}),
            "\xef\xbf\xbd\xef\xbf\xbd"
            "a");
}

TEST(PythonText, AHugeLengthReadsTheFirstPartOnly) {
  const ObjectLayout layout = layout_3_11().object;
  MemoryImage memory;
  put_string<std::uint8_t>(memory, layout, std::vector<std::uint8_t>(kMaxTextLength + 1, 'a'), true);
  memory.put<std::uint64_t>(kAt + layout.text_length, 1ULL << 40U);
  const auto text = read_text(memory, layout, RemoteAddress{kAt});
  ASSERT_TRUE(text);
  EXPECT_EQ(text->size(), kMaxTextLength + 3);
  EXPECT_TRUE(text->ends_with("a..."));
}

TEST(PythonText, WhatIsNoStringGivesNothing) {
  const ObjectLayout layout = layout_3_11().object;
  MemoryImage memory;
  memory.reserve(kAt, 200);
  EXPECT_EQ(read_text(memory, layout, RemoteAddress{kAt}), std::nullopt);      // kind 0
  EXPECT_EQ(read_text(memory, layout, RemoteAddress{kAt + 1}), std::nullopt);  // not aligned
  EXPECT_EQ(read_text(memory, layout, RemoteAddress{0}), std::nullopt);
  EXPECT_EQ(read_text(memory, layout, RemoteAddress{~7ULL}), std::nullopt);
  put_string<std::uint8_t>(memory, layout, {'a'}, true);
  memory.put<std::uint64_t>(kAt + layout.text_length, 1000);  // more than is readable
  EXPECT_EQ(read_text(memory, layout, RemoteAddress{kAt}), std::nullopt);
  memory.put<std::uint64_t>(kAt + layout.text_length, ~0ULL);
  EXPECT_EQ(read_text(memory, layout, RemoteAddress{kAt}), std::nullopt);
}

TEST(PythonBytes, ABoundedCopy) {
  const ObjectLayout layout = layout_3_11().object;
  MemoryImage memory;
  memory.reserve(kAt, 64);
  memory.put<std::uint64_t>(kAt + layout.bytes_size, 3);
  memory.put_text(kAt + layout.bytes_data, "abc");
  const auto bytes = read_bytes(memory, layout, RemoteAddress{kAt}, 3);
  ASSERT_TRUE(bytes);
  EXPECT_EQ(bytes->size(), 3U);
  EXPECT_EQ(read_bytes(memory, layout, RemoteAddress{kAt}, 2), std::nullopt);
  memory.put<std::uint64_t>(kAt + layout.bytes_size, ~0ULL);
  EXPECT_EQ(read_bytes(memory, layout, RemoteAddress{kAt}, kMaxTextLength), std::nullopt);
}

TEST(PythonTypes, NameNeedsItsEnd) {
  const ObjectLayout layout;
  MemoryImage memory;
  memory.reserve(kAt, 64);
  memory.put<std::uint64_t>(kAt + layout.type_name, 0x20000);
  EXPECT_EQ(read_type_name(memory, layout, RemoteAddress{kAt}), std::nullopt);
  memory.put_text(0x20000, "code");
  EXPECT_EQ(read_type_name(memory, layout, RemoteAddress{kAt}), "code");
  memory.put_text(0x20000, std::string(200, 'x'));
  EXPECT_EQ(read_type_name(memory, layout, RemoteAddress{kAt}), std::nullopt);
}

TEST(PythonInts, SignAndTwoDigits) {
  MemoryImage memory;
  const Layout before = layout_3_11();
  memory.put<std::uint64_t>(kAt, 1);
  memory.put<std::uint64_t>(kAt + 8, 0x5000);
  memory.put<std::int64_t>(kAt + 16, -2);
  memory.put<std::uint32_t>(kAt + 24, 5);
  memory.put<std::uint32_t>(kAt + 28, 1);
  EXPECT_EQ(read_small_int(memory, before, RemoteAddress{kAt}), -((1LL << 30) + 5));
  const Layout since = layout_3_12();
  memory.put<std::uint64_t>(kAt + 16, 2U << 3U);
  EXPECT_EQ(read_small_int(memory, since, RemoteAddress{kAt}), (1LL << 30) + 5);
  memory.put<std::uint64_t>(kAt + 16, 3U << 3U);
  EXPECT_EQ(read_small_int(memory, since, RemoteAddress{kAt}), std::nullopt);
}

}  // namespace
}  // namespace hangstack::symbolizer
