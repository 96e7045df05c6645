#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ingest/ingest.h"
#include "ingest/logs/call_log.h"
#include "ingest/logs/log.h"
#include "ingest/logs/log_time.h"

namespace hangstack::ingest {
namespace {

using model::LogEvent;
using model::LogKind;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kOfDecember2026 = 1'796'083'200 * kSecond;  // 2026-12-01 00:00:00

std::vector<LogKind> kinds(const std::vector<LogEvent>& events) {
  std::vector<LogKind> found;
  for (const LogEvent& event : events) found.push_back(event.kind);
  return found;
}

Imported import(const std::vector<DumpFile>& files) {
  Importer importer;
  for (const DumpFile& file : files) importer.add(file);
  return std::move(importer).take();
}

std::string time_text(std::string_view line) {
  const auto time = time_in(line, kOfDecember2026);
  return time ? time->text : std::string();
}

TEST(LogTime, OfEachWriter) {
  EXPECT_EQ(time_text("[rank0]:[E1130 23:13:23.038434997 ProcessGroupNCCL.cpp:685] [Rank 0]"), "11-30 23:13:23.038");
  EXPECT_EQ(time_text("[rank0]:[E321 02:07:08.408271257 ProcessGroupNCCL.cpp:607]"), "03-21 02:07:08.408");
  EXPECT_EQ(time_text("W0227 17:39:41.936000 293814 site-packages/torch"), "02-27 17:39:41.936");
  EXPECT_EQ(time_text("[2026-11-30 23:13:23] node1:7:9 [0] NCCL WARN"), "2026-11-30 23:13:23");
  EXPECT_EQ(time_text("  time      : 2026-11-30_23:20:01"), "2026-11-30 23:20:01");
  EXPECT_EQ(time_text("[Mon Nov 30 23:19:59 2026] Out of memory"), "2026-11-30 23:19:59");
  EXPECT_EQ(time_text("2026-13-30 23:13:23"), "");
  EXPECT_EQ(time_text("2026-11-30 25:13:23"), "");
  EXPECT_EQ(time_text("[E ProcessGroupNCCL.cpp:828]"), "");
}

TEST(LogTime, WithoutAYearItIsTheLastOneBeforeTheFileWasChanged) {
  EXPECT_EQ(time_in("[E1130 00:00:00.5 x.cpp:1]", kOfDecember2026)->ns,
            kOfDecember2026 - 86'400 * kSecond + kSecond / 2);
  EXPECT_LT(time_in("[E1231 00:00:00.5 x.cpp:1]", kOfDecember2026)->ns, kOfDecember2026 - 300LL * 86'400 * kSecond);
}

TEST(Logs, TheWatchdogTellsOperationSequenceAndGroup) {
  const auto events = read_log(
      "[rank0]:[E1130 23:13:23.038434997 ProcessGroupNCCL.cpp:685] [Rank 0] Watchdog caught collective operation "
      "timeout: "
      "WorkNCCL(SeqNum=2, OpType=ALLREDUCE, NumelIn=64, NumelOut=65, Timeout(ms)=8000) ran for 8065 milliseconds "
      "before "
      "timing out.\n"
      "[rank0]:[E1130 23:13:23.038612593 ProcessGroupNCCL.cpp:2252] [PG ID 0 PG GUID 7(dp) Rank 0]  failure detected "
      "by "
      "watchdog at work sequence id: 2 PG status: last enqueued work: 3, last completed work: 1\n"
      "[rank1]:[E1130 23:13:25.6 ProcessGroupNCCL.cpp:1870] [PG ID 0 PG GUID 0(default_pg) Rank 1] Received a dump "
      "signal "
      "due to a collective timeout from  rank 0. Last enqueued NCCL work: 1, last completed NCCL work: 1.This is\n"
      "[rank0]:[E1130 23:13:26.0 ProcessGroupNCCL.cpp:1] [Rank 0] To avoid data inconsistency, we are taking the "
      "entire "
      "process down.\n",
      kOfDecember2026);
  ASSERT_THAT(kinds(events),
              ElementsAre(LogKind::watchdog_timeout, LogKind::group_status, LogKind::group_status, LogKind::abort));
  EXPECT_EQ(events[0].rank, 0);
  EXPECT_EQ(events[0].sequence, 2U);
  EXPECT_EQ(events[0].operation, "ALLREDUCE");
  EXPECT_EQ(events[0].elements_in, 64);
  EXPECT_EQ(events[0].elements_out, 65);
  EXPECT_EQ(events[0].timeout_ms, 8000);
  EXPECT_EQ(events[0].ran_ms, 8065);
  EXPECT_EQ(events[0].group, "7");
  EXPECT_EQ(events[0].group_description, "dp");
  EXPECT_EQ(events[0].text, "ALLREDUCE #2 timed out after 8 s");
  EXPECT_EQ(events[2].rank, 1);
  EXPECT_EQ(events[2].last_enqueued, 1);
}

TEST(Logs, TheNumberInAGroupOfSomeIsNoRankOfTheJob) {
  const auto events = read_log(
      "[E ProcessGroupNCCL.cpp:1] [PG ID 3 PG GUID 7(tp) Rank 1]  failure detected by watchdog at work sequence id: "
      "2 PG status: last enqueued work: 3, last completed work: 1\n",
      0);
  ASSERT_THAT(events, SizeIs(1));
  EXPECT_EQ(events[0].rank, std::nullopt);
}

TEST(Logs, NcclTellsRankHostAndCommunicator) {
  const auto events = read_log(
      "node1:100:140 [0] NCCL INFO ncclCommInitRankConfig comm 0x382 rank 5 nranks 8 cudaDev 0 nvmlDev 0 busId 80 "
      "commId "
      "0x99de - Init START\n"
      "node1:100:140 [0] NCCL INFO [Rank 1] ncclCommInitRank comm 0x382 rank 1 nranks 2 cudaDev 0 nvmlDev 0 busId 80 "
      "commId "
      "0x77 - Init COMPLETE\n"
      "node1:100:150 [0] transport/net_ib.cc:9 NCCL WARN NET/IB : Got completion with status=12\n"
      "node1:100:150 [0] NCCL INFO Channel 00 : 0[0] -> 1[1]\n",
      0);
  ASSERT_THAT(kinds(events), ElementsAre(LogKind::init_start, LogKind::init_complete, LogKind::nccl_warning));
  EXPECT_EQ(events[0].host, "node1");
  EXPECT_EQ(events[0].pid, 100);
  EXPECT_EQ(events[0].communicator, 0x99deU);
  EXPECT_EQ(events[0].communicator_ranks, 8);
  for (const auto& event : events) EXPECT_EQ(event.rank, 5) << "of the communicator with the most ranks";
}

TEST(Logs, EachWordingOfTheBarriersGuessIsKnown) {
  for (const char* line :
       {"[PG ID 0 PG GUID 0 Rank 6]  using GPU 6 as device used by this process is currently unknown. This can",
        "[PG 0 Rank 6]  using GPU 6 to perform barrier as devices used by this process are currently unknown. This can",
        "UserWarning: Guessing device ID based on global rank. This can cause a hang"}) {
    EXPECT_THAT(kinds(read_log(line, 0)), ElementsAre(LogKind::unknown_device)) << line;
  }
}

TEST(Logs, AnExceptionIsTheLastLineOfTheLastTraceback) {
  const auto events = read_log(
      "[rank1]: Traceback (most recent call last):\n[rank1]:   File \"a.py\", line 1, in f\n[rank1]:     x = 7\n"
      "[rank1]: KeyError: 'a'\n\n[rank1]: During handling of the above exception, another exception occurred:\n\n"
      "[rank1]: Traceback (most recent call last):\n[rank0]: words: of another\n[rank1]:   File \"a.py\", line 3, in "
      "g\n"
      "[rank1]: torch.OutOfMemoryError: CUDA out of memory.\n",
      0);
  ASSERT_THAT(events, SizeIs(1));
  EXPECT_EQ(events[0].kind, LogKind::exception);
  EXPECT_EQ(events[0].rank, 1);
  EXPECT_EQ(events[0].line, 11U);
  EXPECT_EQ(events[0].text, "torch.OutOfMemoryError: CUDA out of memory.");
}

TEST(Logs, TorchrunsReportTellsWhoFailedFirst) {
  const auto events = read_log(
      "E1130 23:20:01.000000 99 torch/x.py:1003] failed (exitcode: -9) local_rank: 1 (pid: 101) of binary: python\n"
      "Traceback (most recent call last):\n  File \"torchrun\", line 8, in <module>\n"
      "torch.distributed.elastic.multiprocessing.errors.ChildFailedError:\n"
      "Root Cause (first observed failure):\n[0]:\n  time      : 2026-11-30_23:20:00\n  host      : node1\n"
      "  rank      : 5 (local_rank: 1)\n  exitcode  : -9 (pid: 101)\n  error_file: <N/A>\n"
      "  traceback : Signal 9 (SIGKILL) received by PID 101\n",
      kOfDecember2026);
  ASSERT_THAT(kinds(events), ElementsAre(LogKind::exited, LogKind::exited));
  EXPECT_EQ(events[0].rank, 5) << "by the pid in the report";
  EXPECT_EQ(events[1].rank, 5);
  EXPECT_EQ(events[1].exit_code, -9);
  EXPECT_EQ(events[1].time, "2026-11-30 23:20:00");
  EXPECT_EQ(events[1].host, "node1");
  EXPECT_TRUE(events[1].first_observed);
  EXPECT_EQ(events[1].text, "Signal 9 (SIGKILL) received by PID 101");
}

TEST(Logs, SlurmMpirunAndTheKernelTellWhoEnded) {
  const auto events = read_log(
      "srun: error: node1: tasks 0-1,3: Killed\nmpirun noticed that process rank 4 with PID 9 on node n2 exited on "
      "signal 11 "
      "(Segmentation fault).\nkernel: Out of memory: Killed process 77 (python)\n"
      "NVRM: Xid (PCI:0000:3b:00): 79, pid=78, name=python, GPU has fallen off the bus.\nsrun: error: node1: words\n",
      0);
  ASSERT_THAT(events, SizeIs(6));
  EXPECT_EQ(events[2].rank, 3);
  EXPECT_EQ(events[2].exit_code, -9);
  EXPECT_EQ(events[3].rank, 4);
  EXPECT_EQ(events[3].exit_code, -11);
  EXPECT_EQ(events[4].pid, 77);
  EXPECT_EQ(events[5].kind, LogKind::xid);
  EXPECT_EQ(events[5].pid, 78);
}

TEST(Logs, AnErrorFileOfTorchelastic) {
  const std::string text = R"({"message": {"message": "RuntimeError: no", "extraInfo": {"timestamp": "1796083200"}}})";
  ASSERT_TRUE(looks_like_error_file(text));
  const auto events = read_error_file(text);
  ASSERT_TRUE(events.has_value());
  EXPECT_EQ(events->front().text, "RuntimeError: no");
  EXPECT_EQ(events->front().time_ns, kOfDecember2026);
  EXPECT_FALSE(read_error_file(R"({"message": 7})").has_value());
  EXPECT_FALSE(read_error_file(R"({"message": )").has_value());
}

TEST(Logs, FramesOfADumpAreNoLog) {
  EXPECT_FALSE(
      looks_like_log("Thread 1 (LWP 7):\n#0  0x1 in c10d::ProcessGroupNCCL::Watchdog::run () from x.so\n", true));
  EXPECT_FALSE(looks_like_log("Traceback for thread 7 (python) [] (most recent call last):\n", true));
  EXPECT_TRUE(looks_like_log("words\nTraceback (most recent call last):\n", false));
}

TEST(Logs, OfRanksThatLogsAloneTellOfTheWatchdogsLinesAreTheirRecords) {
  const std::string line =
      "[rank0]:[E1130 23:13:23.0 ProcessGroupNCCL.cpp:685] [Rank 0] Watchdog caught collective operation "
      "timeout: WorkNCCL(SeqNum=2, OpType=_ALLGATHER_BASE, NumelIn=64, NumelOut=64, Timeout(ms)=8000) ran "
      "for 8000 milliseconds before timing out.\n";
  const Imported imported = import({{"train.log", {}, kOfDecember2026, line}});
  EXPECT_TRUE(imported.problems.empty());
  ASSERT_THAT(imported.snapshot.processes, SizeIs(1));
  const auto& process = imported.snapshot.processes[0].last();
  EXPECT_EQ(process.identity.rank, 0);
  ASSERT_THAT(process.flight_recorders, SizeIs(1));
  const auto& operation = process.flight_recorders[0].operations.at(0);
  EXPECT_EQ(operation.name, "_all_gather_base");
  EXPECT_EQ(operation.sequence, 2U);
  EXPECT_EQ(process.captured_at_unix_ns - operation.created_unix_ns, 8 * kSecond);
}

TEST(Logs, TheRankOfAFileIsThatOfItsLines) {
  const Imported imported =
      import({{"rank3.log", {}, 0, "Traceback (most recent call last):\n  File \"a\"\nKeyError: 7\n"}});
  ASSERT_THAT(imported.snapshot.logs, SizeIs(1));
  EXPECT_EQ(imported.snapshot.logs[0].rank, 3);
  EXPECT_EQ(imported.snapshot.logs[0].file, "rank3.log");
  EXPECT_EQ(imported.snapshot.logs[0].line, 3U);
}

TEST(Logs, AnExceptionOfNobodyIsToldWithTheFix) {
  const Imported imported =
      import({{"a.log", {}, 0, "Traceback (most recent call last):\n  File \"a\"\nKeyError: 7\n"}});
  EXPECT_TRUE(imported.snapshot.processes.empty());
  ASSERT_THAT(imported.problems, SizeIs(1));
  EXPECT_THAT(imported.problems[0].error.message, HasSubstr("nothing tells whose it is: KeyError: 7 (line 3)"));
  EXPECT_EQ(imported.problems[0].error.fix, "give it as RANK=a.log");
}

TEST(Logs, StacksInALogAreReadToo) {
  const Imported imported = import(
      {{"rank3.log",
        {},
        0,
        "[E ProcessGroupNCCL.cpp:1] [Rank 3] To avoid data inconsistency, we are taking the entire process down.\n"
        "Fatal Python error: Aborted\n\nCurrent thread 0x00007f10 (most recent call first):\n"
        "  File \"/job/a.py\", line 1 in f\n"}});
  ASSERT_THAT(imported.snapshot.processes, SizeIs(1));
  EXPECT_THAT(imported.snapshot.processes[0].last().threads, SizeIs(1));
  EXPECT_THAT(imported.snapshot.logs, SizeIs(1));
}

TEST(Logs, TasksThatWroteNothingNotableAreNoProblem) {
  const Imported imported =
      import({{"slurm.out",
               {},
               0,
               "0: words\n1: Traceback (most recent call last):\n0: more\n1:   File \"a\"\n1: KeyError: 7\n"
               "0: more\nsrun: error: node1: task 1: Exited with exit code 1\n"}});
  EXPECT_TRUE(imported.problems.empty());
  EXPECT_TRUE(imported.snapshot.failed.empty());
  ASSERT_THAT(imported.snapshot.logs, SizeIs(2));
  EXPECT_EQ(imported.snapshot.logs[0].line, 5U);
  EXPECT_EQ(imported.snapshot.logs[1].rank, 1);
}

TEST(CallLogs, CallsByGroupAndRankWithoutTheirReturns) {
  const std::string text =
      "{\"rank\": 1, \"group\": \"dp\", \"seq\": 2, \"op\": \"all_reduce\", \"sizes\": [[8, 2]], \"dtype\": "
      "\"float32\", "
      "\"at\": \"a.py:7\"}\n"
      "{\"rank\": 1, \"group\": \"dp\", \"seq\": 1, \"op\": \"barrier\"}\n"
      "{\"rank\": 1, \"group\": \"dp\", \"seq\": 2, \"op\": \"all_reduce\", \"event\": \"return\"}\n"
      "{\"seq\": 1, \"op\": \"barrier\"}\n{\"rank\": 1, \"se";
  ASSERT_TRUE(looks_like_call_log(text));
  const CallLogs read = read_call_log(text, 4);
  ASSERT_THAT(read.logs, SizeIs(2));
  EXPECT_EQ(read.logs[0].rank, 4) << "of the group without a name";
  ASSERT_THAT(read.logs[1].calls, SizeIs(2));
  EXPECT_EQ(read.logs[1].calls[0].sequence, 1U);
  EXPECT_EQ(read.logs[1].calls[1].arguments, "[[8, 2]] float32");
  EXPECT_EQ(read.logs[1].calls[1].site, "a.py:7");
  EXPECT_EQ(read.not_read, 1U);
  EXPECT_EQ(read.first_not_read, 5U);
  EXPECT_FALSE(looks_like_call_log("{\"version\":\"2.9\",\"entries\":[]}"));
}

}  // namespace
}  // namespace hangstack::ingest
