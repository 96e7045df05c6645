#include "symbolizer/records/captured_traceback.h"

#include <gtest/gtest.h>

#include "tests/support/recorder_builder.h"

namespace hangstack::symbolizer {
namespace {

using model::RemoteAddress;
using tests::RecorderBuilder;

constexpr const RecorderLayout& kLayout = kRecorderTorch2_15;

class CapturedTraceback : public testing::Test {
 protected:
  std::vector<model::RecordedFrame> read(std::uint64_t traceback) {
    TracebackReader reader(runtimes_, recorder_.memory());
    return reader.read(RemoteAddress{traceback}, kLayout.traceback_frames);
  }

  const std::vector<Runtime> runtimes_ = RecorderBuilder::runtimes();
  RecorderBuilder recorder_{kLayout, 1};
};

TEST_F(CapturedTraceback, WithoutPythonFramesIsEmpty) {
  EXPECT_TRUE(read(0).empty());
  EXPECT_TRUE(read(recorder_.add_traceback({})).empty());
}

TEST_F(CapturedTraceback, OfADeepStackKeepsTheInnermostFrames) {
  const std::uint64_t outer = recorder_.add_code("outer", "/job/train.py", 1);
  const std::uint64_t inner = recorder_.add_code("inner", "/job/train.py", 2);
  std::vector<RecorderBuilder::Frame> frames(1000, {outer, 0});
  frames.front().code = inner;
  const auto found = read(recorder_.add_traceback(frames));
  ASSERT_EQ(found.size(), TracebackReader::kMostFrames);
  EXPECT_EQ(found.front().function, "inner");
  EXPECT_EQ(found.back().function, "outer");
}

TEST_F(CapturedTraceback, WithAWildCodePointerIsNone) {
  const std::uint64_t code = recorder_.add_code("step", "/job/train.py", 1);
  for (const std::uint64_t wild : {std::uint64_t{0}, std::uint64_t{7}, ~std::uint64_t{0}, code + 8,
                                   RecorderBuilder::address().value, std::uint64_t{0xdeadbeef000}})
    EXPECT_TRUE(read(recorder_.add_traceback({{code, 0}, {wild, 0}})).empty()) << wild;
}

TEST_F(CapturedTraceback, WithFramesOfAbsurdNumberIsNone) {
  const std::uint64_t code = recorder_.add_code("step", "/job/train.py", 1);
  const std::uint64_t traceback = recorder_.add_traceback({{code, 0}});
  const std::uint64_t vector = traceback + kLayout.traceback_frames;
  const std::uint64_t begin = recorder_.memory().word(vector);
  for (const std::uint64_t end : {begin + 15, begin - 16, begin + (1UL << 40U), ~std::uint64_t{0}}) {
    recorder_.memory().put_word(vector + 8, end);
    recorder_.memory().put_word(vector + 16, end);
    EXPECT_TRUE(read(traceback).empty()) << end;
  }
}

TEST_F(CapturedTraceback, WithWildInstructionsHasNoLines) {
  const std::uint64_t code = recorder_.add_code("step", "/job/train.py", 5);
  for (const std::int32_t wild : {-3, 1 << 30, std::numeric_limits<std::int32_t>::min()}) {
    const auto found = read(recorder_.add_traceback({{code, wild}}));
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found.front().line, 0) << wild;
  }
  EXPECT_EQ(read(recorder_.add_traceback({{code, -1}})).front().line, 5) << "before the first instruction";
}

TEST_F(CapturedTraceback, WithoutAnInterpreterIsNone) {
  const std::uint64_t traceback = recorder_.add_traceback({{recorder_.add_code("step", "/job/train.py", 1), 0}});
  TracebackReader reader({}, recorder_.memory());
  EXPECT_TRUE(reader.read(RemoteAddress{traceback}, kLayout.traceback_frames).empty());
}

}  // namespace
}  // namespace hangstack::symbolizer
