// Targets whose threads come and go, that end, or that become another program while they are read.

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <ctime>

#include "tests/support/program.h"
#include "tests/support/sampling.h"

namespace hangstack::tests {
namespace {

using model::ErrorCode;
using sampler::StopMode;

std::string target_path(const std::string& name) { return std::string(HANGSTACK_TARGETS) + "/target_" + name; }

constexpr std::array kModes{StopMode::automatic, StopMode::all, StopMode::never};

TEST(ThreadChurn, FailsNever) {
  Target target({target_path("churn")});
  ASSERT_EQ(target.read_line(), "ready");
  for (int i = 0; i < 102; ++i) {
    const auto result = sample_one(target.pid(), kModes[static_cast<std::size_t>(i) % kModes.size()]);
    ASSERT_TRUE(result) << problems_of(result);
    EXPECT_GE(result->threads.size(), 1U);
  }
  EXPECT_EQ(status_field(target.pid(), target.pid(), "TracerPid"), "0");
}

TEST(ShortLived, EndsInACaptureOrASentence) {
  int captures = 0;
  int failures = 0;
  for (int i = 0; i < 60; ++i) {
    Target target({target_path("short_lived"), std::to_string(i * i * 50)});
    ASSERT_EQ(target.read_line(), "ready");
    target.write("go\n");
    const auto result = sample_one(target.pid(), kModes[static_cast<std::size_t>(i) % kModes.size()]);
    if (result) {
      ++captures;
      continue;
    }
    ++failures;
    const ErrorCode code = result.error().error.code;
    EXPECT_TRUE(code == ErrorCode::vanished || code == ErrorCode::zombie || code == ErrorCode::not_found)
        << result.error().error.message;
    EXPECT_FALSE(result.error().error.message.empty());
  }
  EXPECT_GT(captures, 0);
  EXPECT_GT(failures, 0);
}

TEST(ShortLived, IsNamedIfItEndedBetweenItsThreads) {
  // Killed while the sampler reads: sooner or later a capture of a process that ended.
  bool seen = false;
  for (int i = 0; i < 200 && !seen; ++i) {
    Target target({target_path("blocked_calls")});
    std::string line = target.read_line();
    while (line != "ready") line = target.read_line();
    const std::int32_t pid = target.pid();
    const pid_t killer = ::fork();
    if (killer == 0) {
      const timespec moment{0, 1'000'000L + i * 331'000L % 30'000'000L};
      ::nanosleep(&moment, nullptr);
      ::kill(pid, SIGKILL);
      ::_exit(0);
    }
    const auto result = sample_one(pid, kModes[static_cast<std::size_t>(i) % kModes.size()]);
    int status = 0;
    ::waitpid(killer, &status, 0);
    const std::string said = problems_of(result);
    seen = result && said.find("ended while it was read") != std::string::npos;
  }
  EXPECT_TRUE(seen);
}

TEST(ExecChain, NeverFailsAndIsNamed) {
  Target target({target_path("exec_chain")});
  ASSERT_EQ(target.read_line(), "ready");
  bool named = false;
  for (int i = 0; i < 100; ++i) {
    const auto result = sample_one(target.pid(), kModes[static_cast<std::size_t>(i) % kModes.size()]);
    if (result) named = named || problems_of(result).find("started another program") != std::string::npos;
  }
  EXPECT_TRUE(named);
  EXPECT_EQ(target.finish(), 0);
}

TEST(NoSuchProcess, IsOneSentence) {
  const auto result = sample_one(0x3fffffff, StopMode::automatic);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().error.code, ErrorCode::not_found);
}

}  // namespace
}  // namespace hangstack::tests
