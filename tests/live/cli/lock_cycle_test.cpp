// Threads that wait for each other's mutexes, by the owner that the C library wrote into them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <sstream>
#include <string>

#include "tests/support/program.h"

namespace hangstack::tests {
namespace {

using testing::HasSubstr;

TEST(LockCycle, IsNamedLiveAndInAReplay) {
  Target target({std::string(HANGSTACK_TARGETS) + "/target_lock_cycle"});
  std::istringstream ready(target.read_line());
  std::string word;
  std::int32_t first = 0;
  std::int32_t second = 0;
  ASSERT_TRUE(ready >> word >> first >> second);
  for (const std::int32_t tid : {first, second}) ASSERT_TRUE(wait_for_state(target.pid(), tid, "S"));
  const std::string capture = testing::TempDir() + "lock_cycle." + std::to_string(target.pid());
  const auto live =
      run_program({HANGSTACK_BINARY, "--gap", "0.2", "--capture", capture, "--pids", std::to_string(target.pid())});
  EXPECT_EQ(live.status, 0) << live.err;
  EXPECT_THAT(live.out, HasSubstr("HUNG: lock_cycle"));
  const auto [low, high] = std::minmax(first, second);
  EXPECT_THAT(live.out, HasSubstr("Threads " + std::to_string(low) + " and " + std::to_string(high) + " each wait"));
  const auto replayed = run_program({HANGSTACK_BINARY, "replay", capture});
  EXPECT_EQ(replayed.out, live.out);
  std::filesystem::remove_all(capture);
}

}  // namespace
}  // namespace hangstack::tests
