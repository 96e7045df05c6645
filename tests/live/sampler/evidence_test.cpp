// What /proc says of live processes agrees with what they do.
#include <gmock/gmock.h>
#include <time.h>
#include <unistd.h>

#include "sampler/proc/maps.h"
#include "sampler/proc/process_evidence.h"
#include "sampler/proc/thread_evidence.h"
#include "tests/support/program.h"

namespace hangstack::sampler {
namespace {

const ProcFiles kProc;

TEST(LiveEvidence, AgeOfASleepIsKnownFromOneLook) {
  if (!RunQueueClock(kProc).works()) GTEST_SKIP() << "this kernel has no CONFIG_SCHED_DEBUG";
  tests::Target target({HANGSTACK_TARGETS "/target_family", "wait"});
  ASSERT_EQ(target.read_line(), "ready");
  ASSERT_TRUE(tests::wait_for_state(target.pid(), target.pid(), "S"));
  const timespec two_seconds{2, 0};
  ::nanosleep(&two_seconds, nullptr);
  const auto thread = read_thread_evidence(kProc, target.pid(), target.pid());
  ASSERT_TRUE(thread);
  ASSERT_TRUE(thread->clocks.asleep_s);
  // Less when the hypervisor takes the processor away: its clock stands still then.
  EXPECT_GT(*thread->clocks.asleep_s, 1.0);
  EXPECT_LT(*thread->clocks.asleep_s, 30.0);
  target.write("x");
  ASSERT_TRUE(tests::wait_for_state(target.pid(), target.pid(), "S"));
  EXPECT_LT(read_thread_evidence(kProc, target.pid(), target.pid())->clocks.asleep_s, *thread->clocks.asleep_s);
}

TEST(LiveEvidence, ArgumentsOfTheSystemCallAreThoseOfTheThread) {
  tests::Target target({HANGSTACK_TARGETS "/target_family", "wait"});
  ASSERT_EQ(target.read_line(), "ready");
  ASSERT_TRUE(tests::wait_for_state(target.pid(), target.pid(), "S"));
  const auto thread = read_thread_evidence(kProc, target.pid(), target.pid());
  ASSERT_TRUE(thread);
  ASSERT_TRUE(thread->syscall);
  EXPECT_EQ(thread->syscall->number, 0);  // read(0, byte, 1)
  EXPECT_EQ(thread->syscall->arguments[0], 0U);
  EXPECT_EQ(thread->syscall->arguments[2], 1U);
  EXPECT_EQ(thread->ns_tid, target.pid());
  EXPECT_EQ(thread->name, "target_family");
  EXPECT_GT(thread->clocks.run_count, 0U);
}

TEST(LiveEvidence, OwnMapsAreParsedAndHoldThisFunction) {
  const auto text = kProc.read("self/maps");
  ASSERT_TRUE(text);
  const auto maps = parse_maps(*text);
  ASSERT_TRUE(maps) << maps.error().message;
  const auto here = reinterpret_cast<std::uint64_t>(&kProc);
  EXPECT_TRUE(std::ranges::any_of(*maps, [&](const model::Mapping& m) { return m.start <= here && here < m.end; }));
  EXPECT_TRUE(std::ranges::any_of(*maps, [](const model::Mapping& m) { return m.path == "[stack]"; }));
}

TEST(LiveEvidence, ProcessesThatComeAndGoAreErrorsAtWorst) {
  for (int i = 0; i < 20; ++i) {
    tests::Target target({"/bin/true"});
    for (int look = 0; look < 5; ++look) {
      const auto evidence = read_process_evidence(kProc, target.pid());
      if (!evidence) {
        EXPECT_THAT(evidence.error().error.code,
                    testing::AnyOf(model::ErrorCode::zombie, model::ErrorCode::vanished, model::ErrorCode::not_found))
            << evidence.error().error.message;
      }
      const auto thread = read_thread_evidence(kProc, target.pid(), target.pid());
      if (!thread) {
        EXPECT_EQ(thread.error().code, model::ErrorCode::vanished);
      }
    }
  }
}

}  // namespace
}  // namespace hangstack::sampler
