// Whatever ends hangstack, and whenever, its targets go on as before.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <time.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <string>

#include "tests/support/program.h"

namespace hangstack::tests {
namespace {

using testing::HasSubstr;

std::string status_line(std::int32_t pid, const std::string& key) {
  std::ifstream stream("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with(key)) return line.substr(key.size());
  }
  return {};
}

/// Busy-waits, so that the moment is met to microseconds.
void pass_microseconds(long microseconds) {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  const long until = now.tv_sec * 1'000'000 + now.tv_nsec / 1000 + microseconds;
  do ::clock_gettime(CLOCK_MONOTONIC, &now);
  while (now.tv_sec * 1'000'000 + now.tv_nsec / 1000 < until);
}

/// Until it catches SIGINT, and waits for its children or for the gap to pass.
void wait_until_interruptible(std::int32_t pid) {
  const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  const auto catches = [&] {
    const std::string caught = status_line(pid, "SigCgt:\t");
    return !caught.empty() && (std::stoull(caught, nullptr, 16) & (1ULL << (SIGINT - 1))) != 0;
  };
  while (!catches()) ASSERT_LT(std::chrono::steady_clock::now(), patience);
  ASSERT_TRUE(wait_for_state(pid, pid, "S"));
}

class Interruption : public testing::TestWithParam<const char*> {};

TEST_P(Interruption, SigkillAtAnyMomentLeavesEveryThreadRunning) {
  Target target({std::string(HANGSTACK_TARGETS) + "/target_threads", "6", "1"});
  ASSERT_THAT(target.read_line(), HasSubstr("ready"));
  const std::string pid = std::to_string(target.pid());
  for (int i = 0; i < 40; ++i) {
    Target tool({HANGSTACK_BINARY, "--quiet", "--samples", "1", "--stop", GetParam(), "--pids", pid});
    pass_microseconds(500L * i);
    tool.kill();
    // The children that traced die with their parent, a moment later.
    const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (status_line(target.pid(), "TracerPid:\t") != "0") ASSERT_LT(std::chrono::steady_clock::now(), patience);
    ASSERT_TRUE(wait_for_state(target.pid(), target.pid(), "S")) << "after " << 500 * i << " us";
  }
  EXPECT_EQ(target.finish(), 0) << "a thread that stays stopped would not be joined";
}

INSTANTIATE_TEST_SUITE_P(StopModes, Interruption, testing::Values("auto", "all", "never"));

/// Without the interruption the stuck thread alone would take a quarter of the deadline: longer than a test may run.
TEST(Interruption, CtrlCIsFeltWhileATargetIsRead) {
  Target target({std::string(HANGSTACK_TARGETS) + "/target_userfault"});
  const std::string first = target.read_line();
  if (first.starts_with("skip")) GTEST_SKIP() << first;
  ASSERT_THAT(target.read_line(), HasSubstr("ready"));
  const std::string report = testing::TempDir() + "/hangstack-stuck-" + std::to_string(::getpid()) + ".json";
  Target tool(
      {HANGSTACK_BINARY, "--samples", "1", "--timeout", "3600", "-o", report, "--pids", std::to_string(target.pid())});
  wait_until_interruptible(tool.pid());
  ::kill(tool.pid(), SIGINT);
  EXPECT_EQ(tool.finish(), 130);
  EXPECT_TRUE(std::ifstream(report).good());
  ::unlink(report.c_str());
}

TEST(Interruption, CtrlCStillMakesAReport) {
  Target target({std::string(HANGSTACK_TARGETS) + "/target_threads", "2"});
  ASSERT_THAT(target.read_line(), HasSubstr("ready"));
  const std::string folder = testing::TempDir() + "/hangstack-interrupted-" + std::to_string(::getpid());
  const std::string report = folder + ".json";
  Target tool(
      {HANGSTACK_BINARY, "--samples", "2", "--gap", "3600", "-o", report, "--pids", std::to_string(target.pid())});
  wait_until_interruptible(tool.pid());
  ::kill(tool.pid(), SIGINT);
  EXPECT_THAT(tool.read_line(), HasSubstr("hangstack"));
  EXPECT_EQ(tool.finish(), 130);
  std::ifstream written(report);
  EXPECT_TRUE(written.good());
  ::unlink(report.c_str());
}

}  // namespace
}  // namespace hangstack::tests
