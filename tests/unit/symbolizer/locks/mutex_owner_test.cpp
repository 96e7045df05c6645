#include "symbolizer/locks/mutex_owner.h"

#include <gtest/gtest.h>
#include <linux/futex.h>
#include <sys/syscall.h>

#include "tests/support/byte_memory.h"

namespace hangstack::symbolizer {
namespace {

constexpr std::uint64_t kMutex = 0x7000;

model::SystemCall futex(std::uint64_t operation) { return {SYS_futex, {kMutex, operation, 2, 0, 0, 0}}; }

/// A mutex {lock, count, owner} in memory.
tests::ByteMemory mutex_of(std::uint32_t lock, std::uint32_t owner) {
  tests::ByteMemory memory;
  memory.put_word(kMutex, lock);
  memory.put_word(kMutex + 8, owner);
  return memory;
}

/// Threads 1012 and 1015, which their own namespace calls 12 and 15.
model::ProcessCapture process() {
  model::ProcessCapture capture;
  for (const int tid : {12, 15}) {
    model::ThreadCapture thread;
    thread.tid = 1000 + tid;
    thread.ns_tid = tid;
    capture.threads.push_back(thread);
  }
  capture.threads[0].syscall = futex(FUTEX_WAIT | FUTEX_PRIVATE_FLAG);
  return capture;
}

TEST(MutexOwner, TheHolderIsFoundByItsNumberInItsOwnNamespace) {
  auto memory = mutex_of(2, 15);
  EXPECT_EQ(lock_holder_of(process().threads[0], process(), memory), 1015);
}

TEST(MutexOwner, AThreadMayHoldWhatItWaitsFor) {
  auto memory = mutex_of(2, 12);
  EXPECT_EQ(lock_holder_of(process().threads[0], process(), memory), 1012);
}

TEST(MutexOwner, AMutexWithPriorityInheritanceHasItsOwnerInTheLockWord) {
  auto memory = mutex_of(FUTEX_WAITERS | 15, 15);
  EXPECT_EQ(owner_of_mutex(memory, model::RemoteAddress{kMutex}), 15);
  EXPECT_TRUE(awaited_mutex(futex(FUTEX_LOCK_PI | FUTEX_PRIVATE_FLAG)));
}

TEST(MutexOwner, WordsThatAreNoContendedMutexGiveNobody) {
  for (const auto& [lock, owner] :
       {std::pair{0U, 15U}, {1U, 15U}, {2U, 0U}, {2U, 0xffffffffU}, {15U, 15U}, {77U, 15U}}) {
    auto memory = mutex_of(lock, owner);
    EXPECT_EQ(owner_of_mutex(memory, model::RemoteAddress{kMutex}), 0) << lock << " " << owner;
  }
}

TEST(MutexOwner, AnOwnerThatIsNoThreadOfTheProcessIsNobody) {
  auto memory = mutex_of(2, 4242);
  EXPECT_EQ(lock_holder_of(process().threads[0], process(), memory), 0);
}

TEST(MutexOwner, MemoryThatCannotBeReadGivesNobody) {
  tests::ByteMemory memory;
  EXPECT_EQ(lock_holder_of(process().threads[0], process(), memory), 0);
}

TEST(MutexOwner, ConditionsJoinsAndOtherCallsWaitForNoMutex) {
  EXPECT_FALSE(awaited_mutex(futex(FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG)));
  EXPECT_FALSE(awaited_mutex(model::SystemCall{SYS_read, {kMutex, 0, 0, 0, 0, 0}}));
  EXPECT_FALSE(awaited_mutex(model::SystemCall{SYS_futex, {}}));
  EXPECT_FALSE(awaited_mutex(std::nullopt));
}

}  // namespace
}  // namespace hangstack::symbolizer
