// The proof of rest, over files that a test changes while the look goes on.
#include "sampler/look/look.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>

#include "sampler/look/rest_mark.h"
#include "sampler/proc/thread_evidence.h"
#include "tests/support/proc_folder.h"

namespace hangstack::sampler {
namespace {

using model::Register;
using tests::ProcFolder;

class Inspection : public model::Inspector {
 public:
  std::function<void()> in_between = [] {};
  void prepare(const model::ProcessCapture&, model::MemoryReader&) override {}
  void read_thread(const model::ThreadCapture&, model::MemoryReader&) override { in_between(); }
  void finish(const model::ProcessCapture&, model::MemoryReader&) override {}
};

class NoMemory : public model::MemoryReader {
 public:
  void read_batch(std::span<model::ReadRequest> requests) override {
    for (auto& request : requests) request.got = 0;
  }
};

constexpr auto kAsleep = "202 0x1 0x2 0x3 0x4 0x5 0x6 0x7ffd00 0x401000\n";

class Look : public ::testing::Test {
 protected:
  Look() {
    tests::FakeProcess process;
    process.pid = 77;
    folder_.add(process);
    folder_.write("77/task/77/stat", tests::stat_line(process));
    write_status(5, 6);
    write("syscall", kAsleep);
    write("schedstat", "100 200 9\n");
    thread_.tid = 77;
  }
  void write(const std::string& name, std::string_view text) const { folder_.write("77/task/77/" + name, text); }
  void write_status(int voluntary, int nonvoluntary) const {
    write("status", fmt::format("Name:\tx\nvoluntary_ctxt_switches:\t{}\nnonvoluntary_ctxt_switches:\t{}\n", voluntary,
                                nonvoluntary));
  }
  LookOutcome look_once() { return look(proc_, 77, thread_, window_, 4096, clock_); }

  ProcFolder folder_;
  ProcFiles proc_{folder_.path()};
  NoMemory memory_;
  RecordingMemory recording_{memory_};
  Inspection inspection_;
  ThreadWindow window_{{nullptr, &recording_, &inspection_}, 4096};
  RunQueueClock clock_{proc_};
  model::ThreadCapture thread_;
};

TEST_F(Look, ShowsStackPointerInstructionPointerAndArguments) {
  ASSERT_EQ(look_once(), LookOutcome::seen);
  EXPECT_EQ(thread_.method, model::CaptureMethod::looked);
  EXPECT_EQ(thread_.registers.get(Register::rsp), 0x7ffd00U);
  EXPECT_EQ(thread_.registers.get(Register::rip), 0x401000U);
  EXPECT_EQ(thread_.registers.get(Register::rdi), 1U);
  EXPECT_EQ(thread_.registers.get(Register::r10), 4U);
  EXPECT_EQ(thread_.registers.get(Register::r9), 6U);
  for (const Register unknown : {Register::rax, Register::rbx, Register::rcx, Register::rbp, Register::r12})
    EXPECT_FALSE(thread_.registers.knows(unknown));
  ASSERT_TRUE(thread_.syscall);
  EXPECT_EQ(thread_.syscall->number, 202);
  EXPECT_EQ(thread_.clocks.run_count, 9U);
}

TEST_F(Look, OutsideASystemCallShowsTwoRegisters) {
  write("syscall", "-1 0x7ffd00 0x401000\n");
  ASSERT_EQ(look_once(), LookOutcome::seen);
  EXPECT_EQ(thread_.registers.get(Register::rip), 0x401000U);
  EXPECT_FALSE(thread_.registers.knows(Register::rdi));
}

TEST_F(Look, ARunningThreadIsNotSeen) {
  write("syscall", "running\n");
  EXPECT_EQ(look_once(), LookOutcome::running);
  EXPECT_EQ(thread_.method, model::CaptureMethod::none);
}

TEST_F(Look, AThreadThatRanMeanwhileMoved) {
  inspection_.in_between = [&] { write("schedstat", "100 200 10\n"); };
  EXPECT_EQ(look_once(), LookOutcome::moved);
  EXPECT_EQ(thread_.method, model::CaptureMethod::none);
  EXPECT_TRUE(thread_.memory.empty());
  ASSERT_TRUE(thread_.syscall);
  EXPECT_EQ(thread_.syscall->number, 202);
}

TEST_F(Look, AThreadThatSleptSinceItWasListedIsCopiedOnce) {
  int copies = 0;
  inspection_.in_between = [&] { ++copies; };
  thread_ = read_thread_evidence(proc_, 77, 77).value();
  ASSERT_EQ(look_once(), LookOutcome::seen);
  EXPECT_EQ(copies, 1);
  EXPECT_EQ(thread_.registers.get(Register::rsp), 0x7ffd00U);
  EXPECT_EQ(thread_.clocks.run_count, 9U);
}

TEST_F(Look, AThreadThatRanSinceItWasListedIsReadAnew) {
  thread_ = read_thread_evidence(proc_, 77, 77).value();
  write("syscall", "202 0x1 0x2 0x3 0x4 0x5 0x6 0x7ffe00 0x401000\n");
  write("schedstat", "100 200 10\n");
  ASSERT_EQ(look_once(), LookOutcome::seen);
  EXPECT_EQ(thread_.registers.get(Register::rsp), 0x7ffe00U);
  EXPECT_EQ(thread_.clocks.run_count, 10U);
  // The same place and another run: what was copied in between is worth nothing.
  thread_ = read_thread_evidence(proc_, 77, 77).value();
  write("schedstat", "100 200 11\n");
  ASSERT_EQ(look_once(), LookOutcome::seen);
  EXPECT_EQ(thread_.clocks.run_count, 11U);
}

TEST_F(Look, AnotherCallOrPlaceIsAMove) {
  inspection_.in_between = [&] { write("syscall", "202 0x1 0x2 0x3 0x4 0x5 0x6 0x7ffd00 0x401002\n"); };
  EXPECT_EQ(look_once(), LookOutcome::moved);
  inspection_.in_between = [&] { write("syscall", "running\n"); };
  EXPECT_EQ(look_once(), LookOutcome::moved);
}

TEST_F(Look, SwitchesProveRestWhereRunsAreNotCounted) {
  write("schedstat", "0 0 0\n");
  ASSERT_EQ(look_once(), LookOutcome::seen);
  thread_ = {};
  thread_.tid = 77;
  inspection_.in_between = [&] { write_status(6, 6); };
  EXPECT_EQ(look_once(), LookOutcome::moved);
}

TEST_F(Look, AThreadThatEndsMeanwhileEnded) {
  inspection_.in_between = [&] { std::filesystem::remove_all(folder_.path() + "/77/task/77"); };
  EXPECT_EQ(look_once(), LookOutcome::ended);
  EXPECT_EQ(look_once(), LookOutcome::ended);
}

TEST_F(Look, NonsenseIsAProblemOfTheThread) {
  write("syscall", "202 nonsense\n");
  EXPECT_EQ(look_once(), LookOutcome::refused);
  ASSERT_EQ(thread_.problems.size(), 1U);
  EXPECT_EQ(thread_.problems.front().code, model::ErrorCode::malformed_input);
}

}  // namespace
}  // namespace hangstack::sampler
