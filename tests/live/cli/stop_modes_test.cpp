// Each way to a stack brings the same threads home.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/support/program.h"

namespace hangstack::tests {
namespace {

using testing::HasSubstr;
using testing::Not;

class StopModes : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override { ASSERT_THAT(target_.read_line(), HasSubstr("ready")); }

  ProgramResult sample() {
    return run_program(
        {HANGSTACK_BINARY, "--samples", "1", "--full", "--stop", GetParam(), "--pids", std::to_string(target_.pid())});
  }

  Target target_{{std::string(HANGSTACK_TARGETS) + "/target_threads", "4", "1"}};
};

TEST_P(StopModes, ThreadsThatSleepAreAllShown) {
  const auto result = sample();
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("wait_for_the_end"));
  EXPECT_EQ(target_.finish(), 0);
}

TEST_P(StopModes, AThreadThatRunsIsShownUnlessStopsAreForbidden) {
  const auto result = sample();
  if (std::string(GetParam()) == "never") {
    EXPECT_THAT(result.out, Not(HasSubstr("compute_until_the_end")));
    EXPECT_THAT(result.out, HasSubstr("--stop auto"));
  } else {
    EXPECT_THAT(result.out, HasSubstr("compute_until_the_end"));
  }
  EXPECT_EQ(target_.finish(), 0);
}

INSTANTIATE_TEST_SUITE_P(Modes, StopModes, testing::Values("auto", "all", "never"));

}  // namespace
}  // namespace hangstack::tests
