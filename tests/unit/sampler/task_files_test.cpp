// stat, status and syscall: lines that Linux 6.18 wrote, and lines that nobody should write.
#include <gmock/gmock.h>

#include "sampler/proc/stat.h"
#include "sampler/proc/status.h"
#include "sampler/proc/syscall.h"

namespace hangstack::sampler {
namespace {

const std::string kStat =
    "41877 (python) S 41800 41877 6359 0 -1 4194304 97 0 0 0 11 12 0 0 20 0 53 0 128448 3133440 365 "
    "18446744073709551615 94606914080768 94606914100649 140737242725072 0 0 0 0 0 0 0 0 0 17 3 0 0 0 0 0 "
    "94606914116656 "
    "94606914118272 94607727284224 140737242733196 140737242733216 140737242733216 140737242734571 0\n";

TEST(Stat, FieldsAreWhereTheManualSays) {
  const auto stat = parse_stat(kStat);
  ASSERT_TRUE(stat);
  EXPECT_EQ(stat->pid, 41877);
  EXPECT_EQ(stat->comm, "python");
  EXPECT_EQ(stat->state, 'S');
  EXPECT_EQ(stat->parent_pid, 41800);
  EXPECT_EQ(stat->flags, 4194304U);
  EXPECT_EQ(stat->user_ticks, 11U);
  EXPECT_EQ(stat->system_ticks, 12U);
  EXPECT_EQ(stat->thread_count, 53);
  EXPECT_EQ(stat->start_time_ticks, 128448U);
  EXPECT_EQ(stat->start_stack, 140737242725072U);
  EXPECT_EQ(stat->processor, 3);
  EXPECT_FALSE(stat->kernel_worker());
}

TEST(Stat, NameMayHoldBlanksParenthesesAndNewlines) {
  std::string text = kStat;
  text.replace(text.find("python"), 6, ") S 1 (a\nb");
  const auto stat = parse_stat(text);
  ASSERT_TRUE(stat);
  EXPECT_EQ(stat->comm, ") S 1 (a\nb");
  EXPECT_EQ(stat->parent_pid, 41800);
}

TEST(Stat, KernelThreadsAndIoWorkersAreKernelWorkers) {
  Stat stat;
  for (const std::uint32_t flag : {kTaskKernel, kTaskIoWorker, kTaskUserWorker}) {
    stat.flags = 0x40 | flag;
    EXPECT_TRUE(stat.kernel_worker()) << flag;
  }
}

TEST(Stat, EveryTruncationFails) {
  for (std::size_t length = 0; length < kStat.size(); ++length) EXPECT_FALSE(parse_stat(kStat.substr(0, length)));
  EXPECT_FALSE(parse_stat("(\n"));
  EXPECT_FALSE(parse_stat(")(\n"));
  EXPECT_FALSE(parse_stat("()\n"));
  EXPECT_FALSE(parse_stat("1 (x) S\n"));
}

const std::string kStatus =
    "Name:\ta\\nTracerPid:\t7\n"
    "State:\tS (sleeping)\nTgid:\t41877\nNgid:\t0\nPid:\t41878\nPPid:\t1\nTracerPid:\t99\n"
    "Uid:\t1000\t1001\t1002\t1003\nGid:\t10\t11\t12\t13\nFDSize:\t256\nGroups:\t \n"
    "NStgid:\t41877\t17\nNSpid:\t41878\t18\nKthread:\t0\nVmPeak:\t    3060 kB\nSigQ:\t0/96364\n"
    "SigPnd:\t0000000000000001\nShdPnd:\t0000000000000002\nSigBlk:\t0000000000000004\nSigIgn:\t0000000000000008\n"
    "SigCgt:\t8000000000000010\nCapInh:\t0000000000000000\nCapPrm:\t000001fffeffffff\nCapEff:\t0000000000080000\n"
    "NoNewPrivs:\t1\nSeccomp:\t2\nSeccomp_filters:\t1\nvoluntary_ctxt_switches:\t150\n"
    "nonvoluntary_ctxt_switches:\t545\n";

TEST(Status, FieldsAreRead) {
  const auto status = parse_status(kStatus);
  ASSERT_TRUE(status);
  EXPECT_EQ(status->thread_group, 41877);
  EXPECT_EQ(status->tracer_pid, 99);
  EXPECT_THAT(status->ns_pids, testing::ElementsAre(41878, 18));
  EXPECT_EQ(status->innermost_pid(), 18);
  EXPECT_THAT(status->uids, testing::ElementsAre(1000, 1001, 1002, 1003));
  EXPECT_THAT(status->gids, testing::ElementsAre(10, 11, 12, 13));
  EXPECT_EQ(status->signals, (model::SignalState{1, 2, 4, 8, 0x8000000000000010}));
  EXPECT_EQ(status->cap_permitted, 0x1fffeffffffU);
  EXPECT_EQ(status->cap_effective, 0x80000U);
  EXPECT_EQ(status->seccomp, 2);
  EXPECT_EQ(status->kernel_thread, false);
  EXPECT_EQ(status->voluntary_switches, 150U);
  EXPECT_EQ(status->nonvoluntary_switches, 545U);
}

TEST(Status, LinesOfNewerKernelsMayBeMissing) {
  std::string text = kStatus;
  text.erase(text.find("Kthread"), text.find("VmPeak") - text.find("Kthread"));
  text.erase(text.find("NSpid"), text.find("VmPeak") - text.find("NSpid"));
  const auto status = parse_status(text);
  ASSERT_TRUE(status);
  EXPECT_EQ(status->kernel_thread, std::nullopt);
  EXPECT_EQ(status->innermost_pid(), 0);
}

TEST(Status, EveryTruncationFails) {
  for (std::size_t length = 0; length < kStatus.size(); ++length) EXPECT_FALSE(parse_status(kStatus.substr(0, length)));
}

TEST(Status, KnownLinesThatMakeNoSenseFail) {
  for (const char* line : {"Uid:\t1 2 3", "Tgid:\tx", "NSpid:\t1 -", "SigBlk:\t00g", "Seccomp:\t", "Kthread:\tyes",
                           "NSpid:\t99999999999", "CapEff:\t11111111111111111"})
    EXPECT_FALSE(parse_status(line + ("\n" + kStatus))) << line;
}

TEST(Syscall, BlockedInACallHasSixArguments) {
  const auto line = parse_syscall("202 0x7ffd 0x80 0x2 0x0 0x0 0xffffffffffffffff 0x7fff1000 0x7f0000001234\n");
  ASSERT_TRUE(line);
  EXPECT_FALSE(line->running);
  ASSERT_TRUE(line->call);
  EXPECT_EQ(line->call->number, 202);
  EXPECT_THAT(line->call->arguments, testing::ElementsAre(0x7ffd, 0x80, 2, 0, 0, 0xffffffffffffffff));
  EXPECT_EQ(line->stack_pointer, 0x7fff1000U);
  EXPECT_EQ(line->program_counter, 0x7f0000001234U);
}

TEST(Syscall, BlockedOutsideACallHasNone) {
  const auto line = parse_syscall("-1 0x7fff1000 0x7f0000001234\n");
  ASSERT_TRUE(line);
  ASSERT_TRUE(line->call);
  EXPECT_EQ(line->call->number, -1);
  EXPECT_TRUE(line->call->arguments.empty());
  EXPECT_EQ(line->stack_pointer, 0x7fff1000U);
}

TEST(Syscall, RunningSaysNothingElse) {
  const auto line = parse_syscall("running\n");
  ASSERT_TRUE(line);
  EXPECT_TRUE(line->running);
  EXPECT_FALSE(line->call);
}

TEST(Syscall, AnythingElseIsMalformed) {
  const std::string whole = "202 0x1 0x2 0x3 0x4 0x5 0x6 0x7fff1000 0x7f0000001234\n";
  for (std::size_t length = 0; length < whole.size(); ++length) EXPECT_FALSE(parse_syscall(whole.substr(0, length)));
  for (const char* text :
       {"running", "running \n", "0\n", "-1 0x1\n", "-1 1 2\n", "-1 0x1 0x2 0x3\n", "\n", "x 0x1 0x2\n",
        "0 0x1 0x2 0x3 0x4 0x5 0x6 0x7 0x8 0x9\n", "-1 0x1 0x11111111111111111\n", "running\nx"})
    EXPECT_FALSE(parse_syscall(text)) << text;
}

}  // namespace
}  // namespace hangstack::sampler
