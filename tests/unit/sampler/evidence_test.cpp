#include <gmock/gmock.h>

#include <filesystem>

#include "sampler/proc/process_evidence.h"
#include "sampler/proc/thread_evidence.h"
#include "tests/support/proc_folder.h"

namespace hangstack::sampler {
namespace {

using model::ErrorCode;
using testing::HasSubstr;

const tests::FakeProcess kRank{.pid = 41877,
                               .parent = 41800,
                               .comm = "python3",
                               .command_line = {"python", "train.py"},
                               .environment = {{"RANK", "3"}, {"WORLD_SIZE", "8"}, {"HOME", "/root"}}};

TEST(ThreadEvidence, EverythingButRegistersIsRead) {
  const tests::ProcFolder folder;
  folder.add(kRank);
  const auto thread = read_thread_evidence(ProcFiles(folder.path()), 41877, 41877);
  ASSERT_TRUE(thread);
  EXPECT_EQ(thread->tid, 41877);
  EXPECT_EQ(thread->ns_tid, 41877);
  EXPECT_EQ(thread->name, "python3");
  EXPECT_EQ(thread->kernel_state, 'S');
  EXPECT_EQ(thread->wchan, "futex_wait_queue");
  ASSERT_TRUE(thread->syscall);
  EXPECT_EQ(thread->syscall->number, 202);
  EXPECT_EQ(thread->clocks.user_ticks, 11U);
  EXPECT_EQ(thread->clocks.voluntary_switches, 150U);
  EXPECT_EQ(thread->clocks.nonvoluntary_switches, 545U);
  EXPECT_EQ(thread->clocks.run_count, 117U);
  EXPECT_EQ(thread->method, model::CaptureMethod::none);
  EXPECT_TRUE(thread->problems.empty());
}

TEST(ThreadEvidence, AgeComesFromTheClockOfTheReader) {
  const tests::ProcFolder folder;
  folder.add(kRank);
  const ProcFiles proc(folder.path());
  EXPECT_EQ(read_thread_evidence(proc, 41877, 41877)->clocks.asleep_s, std::nullopt);
  folder.write("thread-self/sched", "x (1, #threads: 1)\n-\nse.exec_start    :     253000.000000\n");
  const auto asleep = read_thread_evidence(proc, 41877, 41877)->clocks.asleep_s;
  ASSERT_TRUE(asleep);
  EXPECT_NEAR(*asleep, 252.0, 5.0);
  EXPECT_GE(*asleep, 252.0);
}

TEST(ThreadEvidence, FilesThatAreMissingLeaveTheirFieldsEmpty) {
  const tests::ProcFolder folder;
  folder.add(kRank);
  for (const char* name : {"syscall", "wchan", "schedstat", "sched"})
    std::filesystem::remove(folder.path() + "/41877/task/41877/" + name);
  const auto thread = read_thread_evidence(ProcFiles(folder.path()), 41877, 41877);
  ASSERT_TRUE(thread);
  EXPECT_FALSE(thread->syscall);
  EXPECT_EQ(thread->wchan, "");
  EXPECT_EQ(thread->clocks.run_count, std::nullopt);
  ASSERT_EQ(thread->problems.size(), 1U);
  EXPECT_THAT(thread->problems[0].message, HasSubstr("syscall"));
}

TEST(ThreadEvidence, AThreadThatIsGoneHasVanished) {
  const tests::ProcFolder folder;
  folder.add(kRank);
  const ProcFiles proc(folder.path());
  EXPECT_EQ(read_thread_evidence(proc, 41877, 41878).error().code, ErrorCode::vanished);
  std::filesystem::remove(folder.path() + "/41877/task/41877/status");
  const auto thread = read_thread_evidence(proc, 41877, 41877);
  EXPECT_EQ(thread.error().code, ErrorCode::vanished);
  EXPECT_THAT(thread.error().message, HasSubstr("41877"));
}

TEST(ThreadEvidence, IoWorkersAreMarked) {
  const tests::ProcFolder folder;
  tests::FakeProcess worker = kRank;
  worker.flags |= 0x10;
  folder.add(worker);
  EXPECT_TRUE(read_thread_evidence(ProcFiles(folder.path()), 41877, 41877)->kernel_worker);
}

TEST(ProcessEvidence, BothPartsTogetherGiveTheProcess) {
  const tests::ProcFolder folder;
  folder.add(kRank);
  folder.write("99/stat", tests::stat_line({.pid = 99, .comm = "gdb"}));
  tests::FakeProcess traced = kRank;
  traced.status_lines = "TracerPid:\t99\n";
  folder.add(traced);
  const auto process = read_process_evidence(ProcFiles(folder.path()), 41877);
  ASSERT_TRUE(process) << process.error().error.message;
  EXPECT_FALSE(process->host.empty());
  EXPECT_EQ(process->ns_pid, 41877);
  EXPECT_EQ(process->parent_pid, 41800);
  EXPECT_EQ(process->start_time_ticks, 128448U);
  EXPECT_GT(process->captured_at_unix_ns, 1'600'000'000'000'000'000);
  EXPECT_THAT(process->command_line, testing::ElementsAre("python", "train.py"));
  EXPECT_THAT(process->environment, testing::ElementsAre(testing::Pair("RANK", "3"), testing::Pair("WORLD_SIZE", "8")));
  EXPECT_EQ(process->identity.rank, 3);
  EXPECT_EQ(process->tracer_pid, 99);
  EXPECT_EQ(process->tracer_name, "gdb");
  ASSERT_EQ(process->problems.size(), 1U);
  EXPECT_EQ(process->problems[0].error.code, ErrorCode::already_traced);
}

TEST(ProcessEvidence, EarlyPartNeedsNoFileThatMayBlock) {
  const tests::ProcFolder folder;
  folder.add(kRank);
  for (const char* name : {"cmdline", "environ"}) std::filesystem::remove(folder.path() + "/41877/" + name);
  const ProcFiles proc(folder.path());
  auto early = read_early_evidence(proc, read_tracer_rights(proc), 41877);
  ASSERT_TRUE(early);
  EXPECT_TRUE(early->capture.problems.empty());
  read_late_evidence(proc, early->capture);
  EXPECT_EQ(early->capture.problems.size(), 2U);
}

TEST(ProcessEvidence, CommandAndEnvironmentOfAnEndedLeaderComeFromALivingThread) {
  const tests::ProcFolder folder;
  tests::FakeProcess leader = kRank;
  leader.state = 'Z';
  leader.threads = 2;
  folder.add(leader);
  folder.write("41877/cmdline", "");
  std::filesystem::remove(folder.path() + "/41877/environ");
  const std::string living = "41877/task/41900/";
  tests::FakeProcess thread = kRank;
  thread.pid = 41900;
  folder.write(living + "stat", tests::stat_line(thread));
  folder.write(living + "syscall", "202 0x1 0x2 0x3 0x4 0x5 0x6 0x7f0000001000 0x7f0000002000\n");
  folder.write(living + "cmdline", std::string_view("python\0train.py\0", 16));
  folder.write(living + "environ", std::string_view("RANK=3\0WORLD_SIZE=8\0", 20));
  const auto process = read_process_evidence(ProcFiles(folder.path()), 41877);
  ASSERT_TRUE(process) << process.error().error.message;
  EXPECT_THAT(process->command_line, testing::ElementsAre("python", "train.py"));
  EXPECT_THAT(process->environment, testing::Contains(testing::Pair("WORLD_SIZE", "8")));
  EXPECT_EQ(process->identity.rank, 3);
}

TEST(ProcessEvidence, AFailureKeepsStateAndIdentity) {
  const tests::ProcFolder folder;
  tests::FakeProcess ended = kRank;
  ended.state = 'Z';
  folder.add(ended);
  const auto process = read_process_evidence(ProcFiles(folder.path()), 41877);
  ASSERT_FALSE(process);
  EXPECT_EQ(process.error().pid, 41877);
  EXPECT_EQ(process.error().kernel_state, 'Z');
  EXPECT_EQ(process.error().error.code, ErrorCode::zombie);
  EXPECT_EQ(process.error().identity.rank, 3);
}

}  // namespace
}  // namespace hangstack::sampler
