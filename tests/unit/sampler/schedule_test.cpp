#include "sampler/proc/schedule.h"

#include <gmock/gmock.h>

namespace hangstack::sampler {
namespace {

TEST(Schedule, RunCountIsTheThirdNumber) {
  EXPECT_EQ(parse_run_count("31226187 1084221 117\n"), 117U);
  for (const char* text : {"", "1 2 3", "1 2\n", "0 0 0\n", "a b c\n", "1 2 -3\n"})
    EXPECT_EQ(parse_run_count(text), std::nullopt) << text;
}

TEST(Schedule, ExecStartIsInMilliseconds) {
  const std::string text =
      "cat (9433, #threads: 1)\n-----\n"
      "se.exec_start                                :       1035886.630088\n"
      "se.vruntime                                  :           185.483674\n";
  EXPECT_DOUBLE_EQ(parse_exec_start_ms(text).value(), 1035886.630088);
  for (std::size_t length = 0; length < text.find("se.vruntime"); ++length)
    EXPECT_EQ(parse_exec_start_ms(text.substr(0, length)), std::nullopt);
}

TEST(Schedule, ExecStartOfZeroSaysNothing) {
  EXPECT_EQ(parse_exec_start_ms("x\nse.exec_start   :   0.000000\n"), std::nullopt);
}

TEST(Schedule, ThreadNameCannotPoseAsALine) {
  EXPECT_EQ(parse_exec_start_ms("se.exec_start : 5.0 (1, #threads: 1)\n"), std::nullopt);
}

TEST(Schedule, ProcessorsThatStoodStillAreAddedUp) {
  const auto stood_still = parse_stood_still_ms(
      "cpu  51164 0 15466 183366 3811 0 565 1858 0 0\n"
      "cpu0 20685 0 5547 99967 915 1 90 910 0 0\n"
      "cpu2 30478 0 9919 83399 2895 0 475 948 0 0\n"
      "intr 1 2 3\ncpu3 1 1 1 1 1 1 1 1 1 1\n",
      10);
  EXPECT_THAT(stood_still, testing::ElementsAre(10010, 0, 14230));
}

TEST(Schedule, NonsenseProcessorLinesAreLeftOut) {
  EXPECT_TRUE(parse_stood_still_ms("cpu99999999999 1 1 1 1 1 1 1 1\ncpu9000 1 1 1 1 1 1 1 1\ncpu1 1 2\n", 10).empty());
  EXPECT_TRUE(parse_stood_still_ms("", 10).empty());
}

}  // namespace
}  // namespace hangstack::sampler
