// What `hangstack doctor` prints for several processes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/support/program.h"

namespace hangstack::tests {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Doctor, WhatIsTrueOfEveryProcessIsSaidOnceAndWhatIsItsOwnBesideItsPid) {
  Target first({std::string(HANGSTACK_TARGETS) + "/target_threads", "1"}, {{"RANK", "0"}, {"WORLD_SIZE", "2"}});
  Target second({std::string(HANGSTACK_TARGETS) + "/target_threads", "1"}, {{"RANK", "1"}, {"WORLD_SIZE", "2"}});
  ASSERT_THAT(first.read_line(), HasSubstr("ready"));
  ASSERT_THAT(second.read_line(), HasSubstr("ready"));
  const auto result =
      run_program({HANGSTACK_BINARY, "doctor", "--pids", std::to_string(first.pid()), std::to_string(second.pid())});
  const auto shared = result.out.find("\nall 2 processes\n");
  const auto own = result.out.find("\npid " + std::to_string(first.pid()) + "\n");
  ASSERT_NE(shared, std::string::npos) << result.out;
  ASSERT_NE(own, std::string::npos) << result.out;
  EXPECT_LT(shared, own);
  EXPECT_THAT(result.out.substr(shared, own - shared), HasSubstr("access: it can be read"));
  EXPECT_THAT(result.out.substr(own), HasSubstr("identity: rank 0 of 2"));
  EXPECT_THAT(result.out.substr(own), HasSubstr("identity: rank 1 of 2"));
  EXPECT_THAT(result.out.substr(own), Not(HasSubstr("access:")));
}

}  // namespace
}  // namespace hangstack::tests
