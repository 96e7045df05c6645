// Threads that must not be stopped, or cannot be: they are looked at, and stay what they were.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <csignal>

#include "tests/support/program.h"
#include "tests/support/sampling.h"

namespace hangstack::tests {
namespace {

using model::CaptureMethod;
using model::Register;
using model::StackNeed;
using model::ThreadCapture;
using sampler::StopMode;

std::string target_path(const std::string& name) { return std::string(HANGSTACK_TARGETS) + "/target_" + name; }

constexpr std::array kModes{StopMode::automatic, StopMode::all, StopMode::never};

sampler::SampleResult visit_again(std::int32_t pid, std::int32_t tid, StackNeed need, StopMode mode) {
  sampler::SamplingOptions options;
  options.stop = mode;
  const std::array<sampler::Target, 1> targets{{{pid, {{tid, need}}}}};
  return std::move(sampler::sample_processes(targets, options, {}).front());
}

bool has_stack(const ThreadCapture* thread) {
  return thread != nullptr && thread->registers.knows(Register::rsp) && thread->registers.knows(Register::rip) &&
         !thread->memory.empty() && thread->memory.front().bytes.size() > 128;
}

TEST(GroupStopped, StaysStoppedAndGivesStacks) {
  Target target({target_path("spinners"), "1", "2"});
  target.read_line();
  ASSERT_EQ(target.read_line(), "ready");
  ::kill(target.pid(), SIGSTOP);
  for (const StopMode mode : kModes) {
    ASSERT_TRUE(wait_for_state(target.pid(), target.pid(), "T"));
    const auto result = sample_one(target.pid(), mode);
    ASSERT_TRUE(result) << problems_of(result);
    EXPECT_EQ(problems_of(result), "");
    ASSERT_EQ(result->threads.size(), 4U);
    for (const ThreadCapture& thread : result->threads) {
      EXPECT_EQ(thread.kernel_state, 'T');
      EXPECT_EQ(thread.method, CaptureMethod::looked);
      EXPECT_TRUE(has_stack(&thread)) << thread.tid;
      EXPECT_TRUE(wait_for_state(target.pid(), thread.tid, "T"));
    }
    const auto again = visit_again(target.pid(), target.pid(), StackNeed::registers, mode);
    ASSERT_TRUE(again);
    EXPECT_NE(problems_of(again).find(mode == StopMode::never ? "--stop never" : "stopped by a signal"),
              std::string::npos)
        << problems_of(again);
    EXPECT_TRUE(has_stack(thread_of(*again, target.pid())));
  }
  ::kill(target.pid(), SIGCONT);
  EXPECT_TRUE(wait_for_state(target.pid(), target.pid(), "S"));
}

TEST(TracedByAnother, GivesStacksAndStaysTraced) {
  Target target({target_path("spinners"), "1", "2"});
  target.read_line();
  ASSERT_EQ(target.read_line(), "ready");
  Target tracer({target_path("tracer"), std::to_string(target.pid())});
  ASSERT_EQ(tracer.read_line(), "ready");
  for (const StopMode mode : kModes) {
    const auto result = sample_one(target.pid(), mode);
    ASSERT_TRUE(result) << problems_of(result);
    EXPECT_EQ(result->tracer_pid, tracer.pid());
    ASSERT_EQ(result->threads.size(), 4U);
    for (const ThreadCapture& thread : result->threads) {
      EXPECT_EQ(thread.method, CaptureMethod::looked);
      EXPECT_TRUE(has_stack(&thread)) << thread.tid;
      EXPECT_EQ(status_field(target.pid(), thread.tid, "TracerPid"), std::to_string(tracer.pid()));
    }
  }
  EXPECT_EQ(tracer.finish(), 0);
  EXPECT_TRUE(wait_for_state(target.pid(), target.pid(), "S"));
}

TEST(VforkParent, GivesItsArgumentRegistersInDState) {
  Target target({target_path("vfork_parent")});
  ASSERT_EQ(target.read_line(), "ready");
  ASSERT_TRUE(wait_for_state(target.pid(), target.pid(), "D"));
  for (const StopMode mode : kModes) {
    const auto result = sample_one(target.pid(), mode);
    ASSERT_TRUE(result) << problems_of(result);
    EXPECT_EQ(problems_of(result), "");
    const ThreadCapture* main_thread = thread_of(*result, target.pid());
    ASSERT_TRUE(has_stack(main_thread));
    EXPECT_EQ(main_thread->kernel_state, 'D');
    EXPECT_EQ(main_thread->method, CaptureMethod::looked);
    // vfork's wrapper keeps its return address in rdi (glibc 2.36, sysdeps/unix/sysv/linux/x86_64/vfork.S).
    const auto return_address = main_thread->registers.get(Register::rdi);
    ASSERT_TRUE(return_address.has_value());
    const bool in_code = std::ranges::any_of(result->mappings, [&](const model::Mapping& mapping) {
      return mapping.executable && mapping.start <= *return_address && *return_address < mapping.end;
    });
    EXPECT_TRUE(in_code);
    EXPECT_EQ(result->threads.size(), 2U);
    EXPECT_TRUE(wait_for_state(target.pid(), target.pid(), "D"));
  }
  const auto again = visit_again(target.pid(), target.pid(), StackNeed::registers, StopMode::automatic);
  ASSERT_TRUE(again);
  EXPECT_NE(problems_of(again).find("uninterruptible"), std::string::npos) << problems_of(again);
}

TEST(ZombieLeader, GivesTheStackOfTheLivingThread) {
  Target target({target_path("zombie_leader")});
  const int worker = std::stoi(target.read_line());
  ASSERT_EQ(target.read_line(), "ready");
  ASSERT_TRUE(wait_for_state(target.pid(), target.pid(), "Z"));
  ASSERT_TRUE(wait_for_state(target.pid(), worker, "S"));
  for (const StopMode mode : kModes) {
    const auto result = sample_one(target.pid(), mode);
    ASSERT_TRUE(result) << problems_of(result);
    ASSERT_EQ(result->threads.size(), 2U);
    EXPECT_TRUE(has_stack(thread_of(*result, worker)));
    EXPECT_FALSE(result->mappings.empty());
    EXPECT_FALSE(result->files.empty());
    const ThreadCapture* leader = thread_of(*result, target.pid());
    ASSERT_NE(leader, nullptr);
    EXPECT_EQ(leader->method, CaptureMethod::none);
    EXPECT_NE(problems_of(result).find("has ended"), std::string::npos) << problems_of(result);
  }
}

TEST(KernelWorker, IsListedAndLeftAlone) {
  Target target({target_path("uring_worker")});
  const std::string line = target.read_line();
  if (line.starts_with("skip")) GTEST_SKIP() << "no io_uring here: " << line;
  ASSERT_EQ(line, "ready");
  for (const StopMode mode : kModes) {
    const auto result = sample_one(target.pid(), mode);
    ASSERT_TRUE(result) << problems_of(result);
    EXPECT_EQ(problems_of(result), "");
    const auto workers = std::ranges::count_if(result->threads, &ThreadCapture::kernel_worker);
    EXPECT_EQ(workers, 1);
    for (const ThreadCapture& thread : result->threads)
      EXPECT_EQ(thread.method == CaptureMethod::none, thread.kernel_worker) << thread.tid;
  }
}

TEST(RunningThread, IsStoppedForAMomentAndTheOthersAreNot) {
  Target target({target_path("spinners"), "1", "3"});
  const int busy = std::stoi(target.read_line());
  ASSERT_EQ(target.read_line(), "ready");
  const auto result = sample_one(target.pid(), StopMode::automatic);
  ASSERT_TRUE(result) << problems_of(result);
  EXPECT_EQ(problems_of(result), "");
  ASSERT_EQ(result->threads.size(), 5U);
  for (const ThreadCapture& thread : result->threads) {
    EXPECT_TRUE(has_stack(&thread)) << thread.tid;
    EXPECT_EQ(thread.method, thread.tid == busy ? CaptureMethod::stopped : CaptureMethod::looked) << thread.tid;
  }
  const ThreadCapture* spinner = thread_of(*result, busy);
  ASSERT_NE(spinner, nullptr);
  EXPECT_EQ(spinner->registers.known_mask(), (1U << model::kRegisterCount) - 1);
  EXPECT_TRUE(spinner->fs_base.has_value());
  EXPECT_GT(spinner->stopped_us, 0);
  EXPECT_EQ(result->stopped_us, spinner->stopped_us);
}

TEST(RunningThread, GivesAReasonWhenNothingMayBeStopped) {
  Target target({target_path("spinners"), "1", "0"});
  const int busy = std::stoi(target.read_line());
  ASSERT_EQ(target.read_line(), "ready");
  const auto result = sample_one(target.pid(), StopMode::never);
  ASSERT_TRUE(result) << problems_of(result);
  const ThreadCapture* spinner = thread_of(*result, busy);
  ASSERT_NE(spinner, nullptr);
  EXPECT_EQ(spinner->method, CaptureMethod::none);
  ASSERT_EQ(spinner->problems.size(), 1U);
  EXPECT_NE(spinner->problems.front().message.find("--stop never"), std::string::npos);
}

TEST(SecondVisit, GivesRegistersByAShortStopOfThatThreadAlone) {
  Target target({target_path("spinners"), "0", "2"});
  target.read_line();
  ASSERT_EQ(target.read_line(), "ready");
  const auto first = sample_one(target.pid(), StopMode::automatic);
  ASSERT_TRUE(first);
  for (const ThreadCapture& thread : first->threads) {
    if (thread.tid == target.pid()) continue;
    const auto again = visit_again(target.pid(), thread.tid, StackNeed::registers, StopMode::automatic);
    ASSERT_TRUE(again) << problems_of(again);
    ASSERT_EQ(again->threads.size(), 1U);
    EXPECT_EQ(again->threads.front().tid, thread.tid);
    EXPECT_EQ(again->threads.front().method, CaptureMethod::stopped);
    EXPECT_TRUE(again->threads.front().registers.knows(Register::rbp));
    EXPECT_EQ(again->threads.front().registers.get(Register::rsp), thread.registers.get(Register::rsp));
  }
}

}  // namespace
}  // namespace hangstack::tests
