// Pages of a stack that were never written: a copy goes on above them.

#include <gtest/gtest.h>

#include <cstring>
#include <sstream>

#include "tests/support/program.h"
#include "tests/support/sampling.h"

namespace hangstack::tests {
namespace {

constexpr std::uint64_t kMark = 0x6d61726b6d61726bUL;

/// The word at `address`; none if the segment does not hold it.
std::optional<std::uint64_t> word_at(const model::MemorySegment& segment, std::uint64_t address) {
  const std::uint64_t start = segment.address.value;
  if (address < start || address + sizeof(std::uint64_t) > start + segment.bytes.size()) return std::nullopt;
  std::uint64_t word = 0;
  std::memcpy(&word, segment.bytes.data() + (address - start), sizeof word);
  return word;
}

class UntouchedStack : public ::testing::TestWithParam<sampler::StopMode> {};

TEST_P(UntouchedStack, IsZeroInACopyThatGoesOnAboveIt) {
  Target target({std::string(HANGSTACK_TARGETS) + "/target_untouched_stack"});
  std::istringstream line(target.read_line());
  std::uint64_t inner = 0;
  std::uint64_t outer = 0;
  std::uint64_t untouched = 0;
  line >> std::hex >> inner >> outer >> untouched;
  ASSERT_LT(inner, untouched);
  ASSERT_LT(untouched, outer);
  ASSERT_TRUE(wait_for_state(target.pid(), target.pid(), "S"));
  const auto result = sample_one(target.pid(), GetParam());
  ASSERT_TRUE(result) << problems_of(result);
  const model::ThreadCapture& thread = result->threads.front();
  ASSERT_FALSE(thread.memory.empty());
  EXPECT_EQ(word_at(thread.memory.front(), inner), kMark);
  EXPECT_EQ(word_at(thread.memory.front(), untouched & ~7ULL), 0);
  EXPECT_EQ(word_at(thread.memory.front(), outer), kMark);
  EXPECT_EQ(target.finish(), 0);
}

INSTANTIATE_TEST_SUITE_P(Sampler, UntouchedStack,
                         ::testing::Values(sampler::StopMode::never, sampler::StopMode::automatic,
                                           sampler::StopMode::all));

}  // namespace
}  // namespace hangstack::tests
