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

}  // namespace
}  // namespace hangstack::sampler
