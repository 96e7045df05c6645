// For how long a thread has slept: the kernel's record of it, on every processor.

#include <gtest/gtest.h>
#include <sched.h>

#include <chrono>
#include <csignal>
#include <string>

#include "sampler/proc/thread_evidence.h"
#include "tests/support/program.h"

namespace hangstack::sampler {
namespace {

TEST(Asleep, IsAsLongAsTheThreadHasSleptOnWhicheverProcessor) {
  cpu_set_t allowed;
  ASSERT_EQ(::sched_getaffinity(0, sizeof allowed, &allowed), 0);
  const ProcFiles proc;
  for (int processor = 0; processor < CPU_SETSIZE; ++processor) {
    if (!CPU_ISSET(processor, &allowed)) continue;
    tests::Target target({"taskset", "-c", std::to_string(processor), "sleep", "1000"});
    ASSERT_TRUE(tests::wait_for_state(target.pid(), target.pid(), "S"));
    // The first sleep may be a page fault of the program's start: what counts is the time from here on.
    const auto from = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - from < std::chrono::milliseconds(700)) ::sched_yield();
    const auto thread = read_thread_evidence(proc, target.pid(), target.pid());
    ASSERT_TRUE(thread.has_value()) << thread.error().message;
    if (!thread->clocks.asleep_s)
      GTEST_SKIP() << "this kernel does not say when a thread last ran (CONFIG_SCHED_DEBUG)";
    EXPECT_GT(*thread->clocks.asleep_s, 0.3) << "processor " << processor;
    EXPECT_LT(*thread->clocks.asleep_s, 60) << "processor " << processor;
  }
}

}  // namespace
}  // namespace hangstack::sampler
