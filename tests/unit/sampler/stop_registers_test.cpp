#include <gtest/gtest.h>

#include "sampler/stop/tracee.h"

namespace hangstack::sampler {
namespace {

const model::SystemCall kFutex{202, {0x1000, 0, 2, 0, 0, 0}};

/// A thread that slept in futex when its files were read.
model::ThreadCapture listed_asleep() {
  model::ThreadCapture thread;
  thread.kernel_state = 'S';
  thread.wchan = "futex_wait_queue";
  thread.syscall = kFutex;
  return thread;
}

TEST(StoppedRegisters, OfAThreadThatLeftItsCallSayThatItRan) {
  model::ThreadCapture thread = listed_asleep();
  StoppedRegisters{}.give_to(thread);
  EXPECT_EQ(thread.kernel_state, 'R');
  EXPECT_FALSE(thread.syscall);
  EXPECT_EQ(thread.wchan, "");
}

TEST(StoppedRegisters, OfTheSameCallLeaveTheThreadAsleep) {
  model::ThreadCapture thread = listed_asleep();
  StoppedRegisters stopped;
  stopped.fs_base = 0x7000;
  stopped.syscall = kFutex;
  stopped.give_to(thread);
  EXPECT_EQ(thread.kernel_state, 'S');
  EXPECT_EQ(thread.syscall, kFutex);
  EXPECT_EQ(thread.wchan, "futex_wait_queue");
  EXPECT_EQ(thread.fs_base, 0x7000U);
}

TEST(StoppedRegisters, NameTheCallThatWasHidden) {
  model::ThreadCapture thread = listed_asleep();
  thread.syscall.reset();
  StoppedRegisters stopped;
  stopped.syscall = kFutex;
  stopped.give_to(thread);
  EXPECT_EQ(thread.kernel_state, 'S');
  EXPECT_EQ(thread.syscall, kFutex);
}

}  // namespace
}  // namespace hangstack::sampler
