#include "symbolizer/records/communicators.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "tests/support/memory_image.h"

namespace hangstack::symbolizer {
namespace {

using model::RecordStatus;
using model::RemoteAddress;

constexpr std::uint64_t kMagic = 0x0280028002800280;
constexpr std::uint64_t kList = 0x1000;
constexpr std::uint64_t kCount = 0x1008;
constexpr std::uint64_t kArray = 0x2000;
constexpr std::uint64_t kFirst = 0x10000;
constexpr std::uint64_t kSize = 0x200;

NcclPlace place() {
  NcclPlace place;
  place.name = "libnccl.so.2";
  place.list = RemoteAddress{kList};
  place.count = RemoteAddress{kCount};
  place.members = {
      {"startMagic", {0, 8}},       {"endMagic", {kSize - 8, 8}}, {"commHash", {8, 8}},   {"rank", {16, 4}},
      {"nRanks", {20, 4}},          {"cudaDev", {24, 4}},         {"busId", {32, 8}},     {"seqNumber", {40, 40}},
      {"asyncResult", {80, 4}},     {"initState", {84, 4}},       {"abortFlag", {88, 8}}, {"destroyFlag", {96, 4}},
      {"finalizeCalled", {100, 1}}, {"config.commName", {104, 8}}};
  return place;
}

class Communicators : public ::testing::Test {
 protected:
  Communicators() {
    memory.put(kList, kArray);
    memory.put(kCount, std::int32_t{0});
  }

  /// In the next place of the list; its address.
  std::uint64_t add(std::int32_t rank, std::int32_t ranks) {
    const std::uint64_t at = kFirst + listed_ * kSize;
    memory.reserve(at, kSize);
    memory.put(at, kMagic);
    memory.put(at + kSize - 8, kMagic);
    memory.put(at + 8, 0x7a + listed_);
    memory.put(at + 16, rank);
    memory.put(at + 20, ranks);
    memory.put(at + 72, std::uint64_t{3});  // AllReduce
    list(at);
    return at;
  }

  void list(std::uint64_t pointer) {
    memory.put(kArray + listed_ * 8, pointer);
    ++listed_;
    memory.put(kCount, static_cast<std::int32_t>(listed_));
  }

  model::NcclLibrary read() { return read_communicators(std::vector{place()}, memory).at(0); }

  tests::MemoryImage memory;
  std::uint64_t listed_ = 0;
};

TEST_F(Communicators, AListOfNoneIsOk) {
  EXPECT_EQ(read().status, RecordStatus::ok);
  EXPECT_TRUE(read().communicators.empty());
}

TEST_F(Communicators, EachIsReadWithItsCounts) {
  const std::uint64_t at = add(1, 4);
  memory.put_text(0x900, "dp");
  memory.put(at + 104, std::uint64_t{0x900});
  memory.put(0xa00, std::uint32_t{1});
  memory.put(at + 88, std::uint64_t{0xa00});
  const auto library = read();
  ASSERT_EQ(library.communicators.size(), 1U);
  const auto& found = library.communicators[0];
  EXPECT_EQ(found.hash, 0x7aU);
  EXPECT_EQ(found.name, "dp");
  EXPECT_EQ(found.rank, 1);
  EXPECT_EQ(found.ranks, 4);
  EXPECT_EQ(found.launched, (std::array<std::uint64_t, 5>{0, 0, 0, 0, 3}));
  EXPECT_TRUE(found.aborted);
  EXPECT_FALSE(found.destroyed);
}

TEST_F(Communicators, EmptyPlacesAndRepetitionsAreLeftOut) {
  const std::uint64_t at = add(0, 2);
  list(0);
  list(at);
  EXPECT_EQ(read().communicators.size(), 1U);
}

TEST_F(Communicators, WithoutItsMagicItIsNone) {
  for (const std::uint64_t offset : {std::uint64_t{0}, kSize - 8}) {
    const std::uint64_t at = add(0, 2);
    memory.put(at + offset, std::uint64_t{0x1234});
  }
  EXPECT_EQ(read().status, RecordStatus::failed);
}

TEST_F(Communicators, ARankOutsideOfItIsNone) {
  add(2, 2);
  add(-1, 2);
  add(0, -5);
  EXPECT_EQ(read().status, RecordStatus::failed);
}

TEST_F(Communicators, AnAbsurdCountIsNotFollowed) {
  for (const std::int32_t count : {-1, 0x7fffffff}) {
    memory.put(kCount, count);
    EXPECT_EQ(read().status, RecordStatus::failed) << count;
  }
}

TEST_F(Communicators, WithoutAListItIsAbsentForAReason) {
  NcclPlace stripped;
  stripped.absent_reason = "no .symtab";
  const auto library = read_communicators(std::vector{stripped}, memory).at(0);
  EXPECT_EQ(library.status, RecordStatus::absent);
  EXPECT_EQ(library.reason, "no .symtab");
}

}  // namespace
}  // namespace hangstack::symbolizer
