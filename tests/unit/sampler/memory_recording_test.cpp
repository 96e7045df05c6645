#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "sampler/memory/recording_memory.h"

namespace hangstack::sampler {
namespace {

using model::ReadRequest;
using model::RemoteAddress;

/// Pages from 0x10000 to 0x20000; every byte is `value`, which a test may change. Counts batches.
class FakeMemory : public model::MemoryReader {
 public:
  void read_batch(std::span<ReadRequest> requests) override {
    ++batches;
    for (ReadRequest& request : requests) {
      request.got = 0;
      if (request.address.value < 0x10000 || request.address.value + request.into.size() > 0x20000) continue;
      std::ranges::fill(request.into, value);
      request.got = request.into.size();
    }
  }
  std::byte value{1};
  int batches = 0;
};

int byte_at(RecordingMemory& memory, std::uint64_t address) {
  const auto byte = memory.read<std::uint8_t>(RemoteAddress{address});
  return byte ? *byte : -1;
}

TEST(RecordingMemory, ReadsAPageOnceOutsideWindows) {
  FakeMemory source;
  RecordingMemory memory(source);
  EXPECT_EQ(byte_at(memory, 0x10010), 1);
  source.value = std::byte{2};
  EXPECT_EQ(byte_at(memory, 0x10020), 1);
  EXPECT_EQ(source.batches, 1);
  const auto kept = memory.process_memory();
  ASSERT_EQ(kept.size(), 1U);
  EXPECT_EQ(kept.front().address.value, 0x10000U);
  EXPECT_EQ(kept.front().bytes.size(), kPageBytes);
}

TEST(RecordingMemory, ReadsAnewInEachWindowAndKeepsItThere) {
  FakeMemory source;
  RecordingMemory memory(source);
  EXPECT_EQ(byte_at(memory, 0x10000), 1);
  source.value = std::byte{2};
  memory.begin_window();
  EXPECT_EQ(byte_at(memory, 0x10000), 2);
  const auto pages = memory.end_window();
  EXPECT_EQ(pages.size(), 1U);
  EXPECT_EQ(byte_at(memory, 0x10000), 1);
  memory.begin_window();
  memory.drop_window();
  EXPECT_EQ(memory.process_memory().size(), 1U);
}

TEST(RecordingMemory, FrozenWindowsShareTheirPages) {
  FakeMemory source;
  RecordingMemory memory(source);
  memory.freeze();
  memory.begin_window();
  byte_at(memory, 0x10000);
  const auto first = memory.end_window();
  memory.begin_window();
  byte_at(memory, 0x10008);
  const auto second = memory.end_window();
  memory.thaw();
  EXPECT_EQ(source.batches, 1);
  EXPECT_EQ(first.at(0x10000), second.at(0x10000));
  source.value = std::byte{3};
  memory.begin_window();
  EXPECT_EQ(byte_at(memory, 0x10000), 3);
}

TEST(RecordingMemory, ExpectedPagesAreReadInOneBatchWhenEverythingStandsStill) {
  FakeMemory source;
  RecordingMemory memory(source);
  memory.expect({{0x10000, nullptr}, {0x12000, nullptr}, {0x90000, nullptr}});
  EXPECT_EQ(source.batches, 0);
  source.value = std::byte{2};
  memory.freeze();
  EXPECT_EQ(source.batches, 1);
  source.value = std::byte{3};
  memory.begin_window();
  EXPECT_EQ(byte_at(memory, 0x10000), 2);
  EXPECT_EQ(byte_at(memory, 0x12fff), 2);
  EXPECT_EQ(byte_at(memory, 0x90000), -1);
  EXPECT_EQ(source.batches, 1);
  EXPECT_EQ(byte_at(memory, 0x13000), 3);  // not expected: read now
  const auto pages = memory.end_window();
  memory.thaw();
  ASSERT_EQ(pages.size(), 4U);
  EXPECT_EQ((*pages.at(0x10000))[7], std::byte{2});
  memory.begin_window();
  EXPECT_EQ(byte_at(memory, 0x10000), 3);
}

TEST(RecordingMemory, ChangedPagesAreThoseWithOtherBytesAndThoseNotRead) {
  FakeMemory source;
  RecordingMemory memory(source);
  memory.begin_window();
  byte_at(memory, 0x10000);
  byte_at(memory, 0x90000);
  auto before = memory.end_window();
  memory.expect(before);
  memory.freeze();
  EXPECT_TRUE(memory.changed(before).empty());
  before.emplace(0x11000, before.at(0x10000));
  EXPECT_EQ(memory.changed(before), std::vector<std::uint64_t>{0x11000});
  memory.thaw();
  source.value = std::byte{2};
  memory.expect(before);
  memory.freeze();
  EXPECT_EQ(memory.changed(before), (std::vector<std::uint64_t>{0x10000, 0x11000}));
}

TEST(RecordingMemory, ASealedMemoryAsksNobody) {
  FakeMemory source;
  RecordingMemory memory(source);
  memory.expect({{0x10000, nullptr}});
  memory.freeze();
  memory.seal();
  memory.begin_window();
  EXPECT_EQ(byte_at(memory, 0x10000), 1);
  EXPECT_EQ(byte_at(memory, 0x11000), -1);
  EXPECT_EQ(source.batches, 1);
  memory.end_window();
  memory.thaw();
  memory.begin_window();
  EXPECT_EQ(byte_at(memory, 0x11000), 1);
}

TEST(RecordingMemory, NoMorePagesAreExpectedThanTheBudgetHolds) {
  FakeMemory source;
  RecordingMemory memory(source, 2 * kPageBytes);
  memory.expect({{0x10000, nullptr}, {0x11000, nullptr}, {0x12000, nullptr}});
  memory.freeze();
  memory.begin_window();
  EXPECT_EQ(byte_at(memory, 0x11000), 1);
  EXPECT_EQ(source.batches, 1);
}

TEST(RecordingMemory, TheHeldStackServesReadsInside) {
  FakeMemory source;
  RecordingMemory memory(source);
  const std::vector<std::byte> stack(64, std::byte{7});
  memory.begin_window();
  memory.hold(RemoteAddress{0x10020}, stack);
  EXPECT_EQ(byte_at(memory, 0x10020), 7);
  EXPECT_EQ(byte_at(memory, 0x1005f), 7);
  EXPECT_EQ(source.batches, 0);
  EXPECT_EQ(byte_at(memory, 0x10060), 1);
  EXPECT_EQ(byte_at(memory, 0x1001f), 1);
  EXPECT_EQ(memory.end_window().size(), 1U);
}

TEST(RecordingMemory, NeighbouringPagesAreJoinedAndUnreadableOnesLeftOut) {
  FakeMemory source;
  RecordingMemory memory(source);
  std::vector<std::byte> bytes(3 * kPageBytes);
  EXPECT_EQ(memory.read_up_to(RemoteAddress{0x11800}, std::span(bytes).first(kPageBytes)), kPageBytes);
  EXPECT_EQ(memory.read_up_to(RemoteAddress{0x1f000}, bytes), kPageBytes);
  const auto kept = memory.process_memory();
  ASSERT_EQ(kept.size(), 2U);
  EXPECT_EQ(kept[0].bytes.size(), 2 * kPageBytes);
  EXPECT_EQ(kept[1].address.value, 0x1f000U);
}

TEST(RecordingMemory, RenewedReadsReplaceWhatWasKept) {
  FakeMemory source;
  RecordingMemory memory(source);
  byte_at(memory, 0x10000);
  byte_at(memory, 0x12000);
  memory.renew();
  source.value = std::byte{9};
  EXPECT_EQ(byte_at(memory, 0x10000), 9);
  const auto kept = memory.process_memory();
  ASSERT_EQ(kept.size(), 2U);
  EXPECT_EQ(kept[0].bytes.front(), std::byte{9});
  EXPECT_EQ(kept[1].bytes.front(), std::byte{1});
}

TEST(RecordingMemory, KeepsToItsBudget) {
  FakeMemory source;
  RecordingMemory memory(source, 2 * kPageBytes);
  EXPECT_EQ(byte_at(memory, 0x10000), 1);
  EXPECT_EQ(byte_at(memory, 0x11000), 1);
  EXPECT_EQ(byte_at(memory, 0x12000), -1);
}

TEST(RecordingMemory, TheEndOfTheAddressSpaceDoesNotWrap) {
  FakeMemory source;
  RecordingMemory memory(source);
  std::vector<std::byte> bytes(64);
  for (const std::uint64_t address : {~0ULL, ~0ULL - 63, ~0ULL - 5000})
    EXPECT_EQ(memory.read_up_to(RemoteAddress{address}, bytes), 0U);
}

}  // namespace
}  // namespace hangstack::sampler
