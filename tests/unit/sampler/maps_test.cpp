#include "sampler/proc/maps.h"

#include <fmt/core.h>
#include <gmock/gmock.h>

#include <ctime>

namespace hangstack::sampler {
namespace {

constexpr std::string_view kText =
    "00400000-00452000 r-xp 00000000 08:02 173521      /usr/bin/dbus-daemon\n"
    "00e03000-00e24000 rw-p 00000000 00:00 0           [heap]\n"
    "35b1800000-35b1820000 r--s 00001000 fd:01 135522  /usr/lib64/a file.so (deleted)\n"
    "7f0000000000-7f0000001000 ---p 00000000 00:00 0 \n"
    "7f0000001000-7f0000002000 rw-s 00000000 00:01 2048 /memfd:x (deleted)\n"
    "7fff1b8d4000-7fff1b8f5000 rw-p 00000000 00:00 0   [stack]\n"
    "ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0                  [vsyscall]\n";

TEST(Maps, EveryFieldOfALineIsRead) {
  const auto maps = parse_maps(kText);
  ASSERT_TRUE(maps);
  ASSERT_EQ(maps->size(), 7U);
  EXPECT_EQ((*maps)[0], (model::Mapping{0x400000, 0x452000, 0, 173521, "08:02", true, false, true, false, false,
                                        "/usr/bin/dbus-daemon"}));
  EXPECT_EQ((*maps)[6].end, 0xffffffffff601000U);
  EXPECT_EQ((*maps)[3].path, "");
  EXPECT_FALSE((*maps)[3].readable);
}

TEST(Maps, DeletedSuffixIsCutOff) {
  const auto maps = parse_maps(kText);
  ASSERT_TRUE(maps);
  const model::Mapping& file = (*maps)[2];
  EXPECT_TRUE(file.deleted);
  EXPECT_EQ(file.path, "/usr/lib64/a file.so");
  EXPECT_TRUE(file.shared);
  EXPECT_EQ(file.file_offset, 0x1000U);
  EXPECT_EQ((*maps)[4].path, "/memfd:x");
  EXPECT_FALSE((*maps)[5].deleted);
}

TEST(Maps, EscapedNewlineIsDecodedAndOtherBackslashesStay) {
  const auto maps = parse_maps("1000-2000 r--p 00000000 08:02 1 /tmp/a\\012b\\\\040c\\0\n");
  ASSERT_TRUE(maps);
  EXPECT_EQ((*maps)[0].path, "/tmp/a\nb\\\\040c\\0");
}

TEST(Maps, EmptyFileHasNoMappings) {
  const auto maps = parse_maps("");
  ASSERT_TRUE(maps);
  EXPECT_TRUE(maps->empty());
}

TEST(Maps, OverlapOfARacingReadIsCut) {
  const auto maps = parse_maps(
      "1000-3000 r--p 00000000 08:02 1 /a\n"
      "1000-2000 r--p 00000000 08:02 1 /a\n"
      "2000-5000 r--p 00001000 08:02 1 /a\n");
  ASSERT_TRUE(maps);
  ASSERT_EQ(maps->size(), 2U);
  EXPECT_EQ((*maps)[1].start, 0x3000U);
  EXPECT_EQ((*maps)[1].file_offset, 0x2000U);
}

TEST(Maps, NonsenseIsAnErrorThatNamesTheLine) {
  for (const std::string_view line :
       {"", "x", "1000", "1000-", "-2000 r--p 0 0:0 0", "2000-1000 r--p 0 0:0 0", "1000-1000 r--p 0 0:0 0",
        "1000-2000 r--p", "1000-2000 r-- 0 0:0 0", "1000-2000 r--p z 0:0 0", "1000-2000 r--p 0 00 0",
        "1000-2000 r--p 0 0:0 1x", "11111111111111111-2 r--p 0 0:0 0"}) {
    const auto maps = parse_maps(fmt::format("0-1 r--p 0 0:0 0\n{}\n", line));
    ASSERT_FALSE(maps) << line;
    EXPECT_EQ(maps.error().code, model::ErrorCode::malformed_input);
    EXPECT_THAT(maps.error().message, testing::HasSubstr("line 2"));
  }
}

TEST(Maps, EveryTruncationFailsOrGivesWholeLines) {
  for (std::size_t length = 0; length <= kText.size(); ++length) {
    const std::string_view cut = kText.substr(0, length);
    const auto maps = parse_maps(cut);
    EXPECT_EQ(maps.has_value(), cut.empty() || cut.ends_with('\n')) << length;
  }
}

TEST(Maps, TenThousandLinesTakeMilliseconds) {
  std::string text;
  for (std::uint64_t i = 0; i < 10'000; ++i)
    text += fmt::format("{:x}-{:x} r-xp {:08x} fd:01 {}                      /usr/lib/python3/lib-dynload/file_{}.so\n",
                        0x7f0000000000 + i * 0x2000, 0x7f0000001000 + i * 0x2000, i * 0x1000, i, i % 300);
  const std::clock_t begin = std::clock();  // processor time: the machine may be busy
  const auto maps = parse_maps(text);
  const double took_ms = 1000.0 * static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  ASSERT_TRUE(maps);
  EXPECT_EQ(maps->size(), 10'000U);
  EXPECT_LT(took_ms, 200.0);
  RecordProperty("ms", std::to_string(took_ms));
}

}  // namespace
}  // namespace hangstack::sampler
