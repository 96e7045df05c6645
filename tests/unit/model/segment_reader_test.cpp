#include "model/segment_reader.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "tests/support/captures.h"

namespace hangstack::model {
namespace {

using tests::bytes_of;

std::string read(SegmentReader& reader, std::uint64_t address, std::size_t size) {
  std::string text(size, '?');
  text.resize(reader.read_up_to(RemoteAddress{address}, std::as_writable_bytes(std::span(text))));
  return text;
}

TEST(SegmentReader, JoinsNeighboursAndStopsAtAGap) {
  ProcessCapture process;
  process.memory = {{RemoteAddress{0x100}, bytes_of("abcd")}, {RemoteAddress{0x104}, bytes_of("efgh")}};
  auto reader = SegmentReader::of_process(process);
  EXPECT_EQ(read(reader, 0x102, 4), "cdef");
  EXPECT_EQ(read(reader, 0x106, 8), "gh");
  EXPECT_EQ(read(reader, 0x0ff, 2), "");
}

TEST(SegmentReader, LaterSegmentsReplaceEarlierOnesWhereTheyOverlap) {
  ProcessCapture process;
  process.memory = {{RemoteAddress{0x100}, bytes_of("aaaaaaaa")}, {RemoteAddress{0x102}, bytes_of("bb")}};
  auto reader = SegmentReader::of_process(process);
  EXPECT_EQ(read(reader, 0x100, 8), "aabbaaaa");
}

TEST(SegmentReader, AThreadsWindowLiesOverTheProcess) {
  ProcessCapture process;
  process.memory = {{RemoteAddress{0x100}, bytes_of("pppppppp")}};
  ThreadCapture thread;
  thread.memory = {{RemoteAddress{0x102}, bytes_of("tt")}};
  auto reader = SegmentReader::of_thread(process, thread);
  EXPECT_EQ(read(reader, 0x100, 8), "ppttpppp");
}

TEST(SegmentReader, ASegmentAtTheEndOfTheAddressSpaceDoesNotWrap) {
  ProcessCapture process;
  process.memory = {{RemoteAddress{~0ULL - 1}, bytes_of("abcdef")}};
  auto reader = SegmentReader::of_process(process);
  EXPECT_EQ(read(reader, 0, 2), "");
}

TEST(MemoryReader, AStringMustEndWithinItsBound) {
  ProcessCapture process;
  process.memory = {{RemoteAddress{0x100}, bytes_of(std::string_view("name\0rest", 9))}};
  auto reader = SegmentReader::of_process(process);
  EXPECT_EQ(reader.read_c_string(RemoteAddress{0x100}, 64).value(), "name");
  EXPECT_FALSE(reader.read_c_string(RemoteAddress{0x100}, 3).has_value());
  EXPECT_FALSE(reader.read_c_string(RemoteAddress{0x105}, 64).has_value());
}

}  // namespace
}  // namespace hangstack::model
