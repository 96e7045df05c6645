// A thread that is ready to run and gets no processor can be stopped only once it runs: it is waited for.

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <sstream>

#include "tests/support/program.h"
#include "tests/support/sampling.h"

namespace hangstack::tests {
namespace {

/// Longer than hangstack waits where others stand still, much shorter than it waits for one thread.
constexpr std::chrono::milliseconds kStarved{400};
constexpr char kRefused = 'r';

cpu_set_t only(int processor) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(processor, &set);
  return set;
}

/// Keeps `processor` to itself for kStarved, before all ordinary threads; says so once it has it.
[[noreturn]] void starve(int processor, int told) {
  const cpu_set_t set = only(processor);
  const sched_param first{1};
  if (::sched_setaffinity(0, sizeof set, &set) != 0 || ::sched_setscheduler(0, SCHED_FIFO, &first) != 0) {
    (void)!::write(told, &kRefused, 1);
    ::_exit(1);
  }
  (void)!::write(told, "s", 1);
  const auto until = std::chrono::steady_clock::now() + kStarved;
  while (std::chrono::steady_clock::now() < until) {
  }
  ::_exit(0);
}

TEST(StarvedThread, IsWaitedForUntilItRuns) {
  cpu_set_t all;
  CPU_ZERO(&all);
  ASSERT_EQ(::sched_getaffinity(0, sizeof all, &all), 0);
  if (CPU_COUNT(&all) < 2) GTEST_SKIP() << "needs two processors";
  int processor = 0;
  while (!CPU_ISSET(processor, &all)) ++processor;

  Target target({std::string(HANGSTACK_TARGETS) + "/target_spinners", "1", "0"});
  std::int32_t busy = 0;
  std::istringstream(target.read_line()) >> busy;
  ASSERT_EQ(target.read_line(), "ready");
  const cpu_set_t there = only(processor);
  ASSERT_EQ(::sched_setaffinity(busy, sizeof there, &there), 0);
  cpu_set_t others = all;
  CPU_CLR(processor, &others);
  ASSERT_EQ(::sched_setaffinity(0, sizeof others, &others), 0);

  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe(pipe.data()), 0);
  const pid_t hog = ::fork();
  if (hog == 0) starve(processor, pipe[1]);
  char said = 0;
  ASSERT_EQ(::read(pipe[0], &said, 1), 1);
  const auto result = sample_one(target.pid(), sampler::StopMode::automatic);
  ::waitpid(hog, nullptr, 0);
  for (const int end : pipe) ::close(end);
  ::sched_setaffinity(0, sizeof all, &all);
  if (said == kRefused) GTEST_SKIP() << "no right to a real-time priority";

  ASSERT_TRUE(result) << problems_of(result);
  const auto* thread = thread_of(*result, busy);
  ASSERT_NE(thread, nullptr);
  EXPECT_EQ(thread->method, model::CaptureMethod::stopped) << problems_of(result);
}

}  // namespace
}  // namespace hangstack::tests
