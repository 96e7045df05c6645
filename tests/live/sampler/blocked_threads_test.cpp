// Threads that sleep are read without being stopped, and do not notice.

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tests/support/program.h"
#include "tests/support/sampling.h"

namespace hangstack::tests {
namespace {

using model::CaptureMethod;
using model::Register;
using model::ThreadCapture;
using sampler::StopMode;

/// A process with one thread in each of many blocking calls.
class BlockedCalls : public ::testing::Test {
 protected:
  BlockedCalls() : target_({std::string(HANGSTACK_TARGETS) + "/target_blocked_calls"}) {
    for (std::string line = target_.read_line(); !line.empty() && line != "ready"; line = target_.read_line()) {
      const auto blank = line.find(' ');
      tids_[line.substr(0, blank)] = std::stoi(line.substr(blank + 1));
    }
    for (const auto& [name, tid] : tids_) EXPECT_TRUE(wait_for_state(target_.pid(), tid, "S")) << name;
    EXPECT_TRUE(wait_for_state(target_.pid(), target_.pid(), "S"));
  }

  std::map<std::string, int> interruptions() {
    target_.write("counts\n");
    std::map<std::string, int> counts;
    for (std::string line = target_.read_line(); !line.empty() && line != "end"; line = target_.read_line()) {
      const auto blank = line.find(' ');
      counts[line.substr(0, blank)] = std::stoi(line.substr(blank + 1));
    }
    return counts;
  }

  Target target_;
  std::map<std::string, int> tids_;
};

TEST_F(BlockedCalls, AreAllLookedAt) {
  const auto result = sample_one(target_.pid(), StopMode::automatic);
  ASSERT_TRUE(result) << problems_of(result);
  EXPECT_EQ(problems_of(result), "");
  EXPECT_EQ(result->threads.size(), tids_.size() + 1);
  for (const ThreadCapture& thread : result->threads) {
    EXPECT_EQ(thread.method, CaptureMethod::looked) << thread.tid;
    EXPECT_EQ(thread.stopped_us, 0);
    EXPECT_TRUE(thread.registers.knows(Register::rsp) && thread.registers.knows(Register::rip));
    EXPECT_TRUE(thread.registers.knows(Register::rdi) && thread.registers.knows(Register::r9));
    EXPECT_FALSE(thread.registers.knows(Register::rax) || thread.registers.knows(Register::rbp));
    ASSERT_FALSE(thread.memory.empty()) << thread.tid;
    const auto& stack = thread.memory.front();
    const std::uint64_t sp = *thread.registers.get(Register::rsp);
    EXPECT_LE(stack.address.value, sp);
    EXPECT_EQ(stack.address.value + stack.bytes.size(), thread.stack_limit);
  }
  EXPECT_EQ(result->stopped_us, 0);
}

TEST_F(BlockedCalls, AreReadWithoutPtrace) {
  for (const StopMode mode : {StopMode::automatic, StopMode::never}) {
    const int status = in_child([&] {
      forbid_ptrace();
      const auto result = sample_one(target_.pid(), mode);
      if (!result) return 1;
      for (const ThreadCapture& thread : result->threads) {
        if (thread.method != CaptureMethod::looked) return 2;
      }
      return result->threads.size() == tids_.size() + 1 ? 0 : 3;
    });
    EXPECT_EQ(status, 0);
  }
}

TEST_F(BlockedCalls, DoNotNoticeThatTheyAreRead) {
  for (const StopMode mode : {StopMode::automatic, StopMode::never}) {
    for (int i = 0; i < 20; ++i) {
      const auto result = sample_one(target_.pid(), mode);
      ASSERT_TRUE(result) << problems_of(result);
    }
    for (const auto& [name, count] : interruptions()) EXPECT_EQ(count, 0) << name;
  }
}

TEST_F(BlockedCalls, NoticeAStrictStopOnlyInTheCallsThatAreKnownToFail) {
  for (int i = 0; i < 5; ++i) {
    const auto result = sample_one(target_.pid(), StopMode::all);
    ASSERT_TRUE(result) << problems_of(result);
    for (const auto& [name, tid] : tids_) {
      const ThreadCapture* thread = thread_of(*result, tid);
      ASSERT_NE(thread, nullptr) << name;
      EXPECT_EQ(thread->method, CaptureMethod::stopped) << name;
      EXPECT_GT(thread->stopped_us, 0) << name;
    }
    for (const auto& [name, tid] : tids_) EXPECT_TRUE(wait_for_state(target_.pid(), tid, "S")) << name;
  }
  const std::set<std::string> fail{"epoll_wait", "recv_with_timeout", "sigtimedwait", "semtimedop"};
  for (const auto& [name, count] : interruptions()) {
    if (fail.contains(name)) {
      EXPECT_GT(count, 0) << name;
    } else {
      EXPECT_EQ(count, 0) << name;
    }
  }
}

TEST_F(BlockedCalls, GiveTheSameBytesLookedAtAndStopped) {
  const auto looked = sample_one(target_.pid(), StopMode::never);
  ASSERT_TRUE(looked) << problems_of(looked);
  const auto stopped = sample_one(target_.pid(), StopMode::all);
  ASSERT_TRUE(stopped) << problems_of(stopped);
  for (const auto& [name, tid] : tids_) {
    const ThreadCapture* one = thread_of(*looked, tid);
    const ThreadCapture* other = thread_of(*stopped, tid);
    ASSERT_TRUE(one != nullptr && other != nullptr) << name;
    EXPECT_EQ(one->registers.get(Register::rsp), other->registers.get(Register::rsp)) << name;
    EXPECT_EQ(one->registers.get(Register::rip), other->registers.get(Register::rip)) << name;
    EXPECT_EQ(one->registers.get(Register::rdi), other->registers.get(Register::rdi)) << name;
    EXPECT_EQ(one->memory.front(), other->memory.front()) << name;
    EXPECT_EQ(one->stack_limit, other->stack_limit) << name;
  }
}

}  // namespace
}  // namespace hangstack::tests
