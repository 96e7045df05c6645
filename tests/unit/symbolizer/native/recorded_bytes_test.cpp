#include "symbolizer/native/recorded_bytes.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace hangstack::symbolizer {
namespace {

void add(RecordedBytes& bytes, std::uint64_t address, const std::string& text) {
  bytes.add(address, std::as_bytes(std::span(text)));
}

std::string read(const RecordedBytes& bytes, std::uint64_t address, std::size_t size) {
  std::string text(size, '?');
  text.resize(bytes.read(address, std::as_writable_bytes(std::span(text))));
  return text;
}

TEST(RecordedBytes, TouchingAndOverlappingRunsBecomeOne) {
  RecordedBytes bytes;
  add(bytes, 10, "abc");
  add(bytes, 20, "xyz");
  add(bytes, 13, "defg");
  EXPECT_EQ(bytes.runs().size(), 2U);
  add(bytes, 16, "ghijx");
  EXPECT_EQ(bytes.runs().size(), 1U);
  EXPECT_EQ(read(bytes, 10, 13), "abcdefghijxyz");
  EXPECT_EQ(read(bytes, 12, 3), "cde");
}

TEST(RecordedBytes, ReadsAsFarAsTheRunGoes) {
  RecordedBytes bytes;
  add(bytes, 10, "abc");
  EXPECT_EQ(read(bytes, 11, 8), "bc");
  EXPECT_EQ(read(bytes, 13, 1), "");
  EXPECT_EQ(read(bytes, 9, 1), "");
}

TEST(RecordedBytes, NothingWrapsAroundTheEndOfTheAddressSpace) {
  RecordedBytes bytes;
  add(bytes, ~std::uint64_t{0}, "ab");
  EXPECT_TRUE(bytes.runs().empty());
}

}  // namespace
}  // namespace hangstack::symbolizer
