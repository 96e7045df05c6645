#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "ingest/ingest.h"
#include "tests/unit/ingest/frame_texts.h"

namespace hangstack::ingest {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

Imported import(const std::vector<DumpFile>& files) {
  Importer importer;
  for (const DumpFile& file : files) importer.add(file);
  return std::move(importer).take();
}

TEST(ImportStacks, NativeFramesOfOneToolStandAbovePythonFramesOfAnother) {
  const Imported imported = import({
      {"rank3.gdb.txt",
       {},
       0,
       "Thread 1 (LWP 7):\n#0  0x1 in poll () from /lib/libc.so.6\n#1  0x2 in _PyEval_EvalFrameDefault () from p\n"
       "#2  0x3 in main ()\nThread 2 (LWP 9 \"pt_nccl_watchdg\"):\n#0  0x1 in poll () from /lib/libc.so.6\n"},
      {"rank3.pyspy.txt", {}, 0, "Process 7: python\n\nThread 7 (active): \"MainThread\"\n    step (train.py:22)\n"},
  });
  EXPECT_TRUE(imported.problems.empty());
  ASSERT_THAT(imported.snapshot.processes, SizeIs(1));
  const auto& process = imported.snapshot.processes[0].last();
  EXPECT_EQ(process.identity.rank, 3);
  EXPECT_EQ(process.dump, "rank3.gdb.txt + rank3.pyspy.txt");
  ASSERT_THAT(process.threads, SizeIs(2));
  EXPECT_THAT(texts(process.threads[0]), ElementsAre("poll [/lib/libc.so.6]", "py step train.py:22"));
  EXPECT_EQ(process.threads[0].kernel_state, 'R');
  EXPECT_EQ(process.threads[0].python_name, "MainThread");
}

TEST(ImportStacks, GdbsOwnLinesInBracketsAreNoJson) {
  const Imported imported = import({{"rank0.txt",
                                     {},
                                     0,
                                     "[New LWP 9]\n[Thread debugging using libthread_db enabled]\n"
                                     "Thread 1 (LWP 7):\n#0  0x1 in poll () from /lib/libc.so.6\n"}});
  EXPECT_TRUE(imported.problems.empty());
  EXPECT_THAT(imported.snapshot.processes, SizeIs(1));
}

TEST(ImportStacks, ARankWhoseFileCannotBeReadIsLost) {
  const Imported imported =
      import({{"rank0.txt", {}, 0, "Process 7: python\n\nThread 7 (idle): \"MainThread\"\n    f (a.py:1)\n"},
              {"rank1.txt", {}, 0, "Error: Permission Denied\n"}});
  ASSERT_THAT(imported.snapshot.failed, SizeIs(1));
  EXPECT_EQ(imported.snapshot.failed[0].identity.rank, 1);
}

TEST(ImportStacks, AnotherPidUnderOneRankIsNoSecondSample) {
  const auto look = [](const char* pid) {
    return std::string("Process ") + pid + ": python\n\nThread " + pid + " (idle): \"MainThread\"\n    f (a.py:1)\n";
  };
  const Imported imported = import({{"rank0_a.txt", 0, 0, look("7")}, {"rank0_b.txt", 0, 0, look("8")}});
  ASSERT_THAT(imported.problems, SizeIs(1));
  EXPECT_THAT(imported.problems[0].error.message, HasSubstr("rank 0 has the pid 8 in it"));
  EXPECT_THAT(imported.snapshot.processes, SizeIs(2));
}

TEST(ImportStacks, WorkersOfADataLoaderAreNoRanks) {
  const Imported imported =
      import({{"w.txt",
               {},
               0,
               "Process 70: python\nParent Process 7: python\n\nThread 70 (idle): \"MainThread\"\n"
               "    _worker_loop (torch/utils/data/_utils/worker.py:330)\n"}});
  EXPECT_TRUE(imported.problems.empty());
  EXPECT_EQ(imported.snapshot.processes.at(0).last().identity.role, model::Role::dataloader_worker);
}

TEST(ImportStacks, TwoLooksOfOneToolAreTwoSamples) {
  const std::string look = "Process 7: python\n\nThread 7 (idle): \"MainThread\"\n    step (train.py:";
  const Imported imported = import({{"rank0_a.txt", 0, 0, look + "22)\n"}, {"rank0_b.txt", 0, 0, look + "23)\n"}});
  ASSERT_THAT(imported.snapshot.processes, SizeIs(1));
  ASSERT_THAT(imported.snapshot.processes[0].samples, SizeIs(2));
  EXPECT_THAT(texts(imported.snapshot.processes[0].samples[0].threads[0]), ElementsAre("py step train.py:22"));
  EXPECT_THAT(texts(imported.snapshot.processes[0].samples[1].threads[0]), ElementsAre("py step train.py:23"));
}

TEST(ImportStacks, ARecorderThatTellsItsNcclVersionIsNoReplyOfRas) {
  const std::string recorder =
      R"({"version":"2.9","nccl_version":"2.27.3","pg_config":{"0":{"name":"0","desc":"default_pg","ranks":"[0, 1]"}},)"
      R"("entries":[]})";
  const Imported imported = import({{"rank1.json", {}, 0, recorder}});
  EXPECT_TRUE(imported.problems.empty());
  EXPECT_THAT(imported.snapshot.processes, SizeIs(1));
  EXPECT_THAT(imported.snapshot.ras, SizeIs(0));
}

TEST(ImportStacks, ARankWithStacksAloneIsOfTheJobOfThoseWithRecords) {
  const std::string recorder =
      R"({"version":"2.9","pg_config":{"0":{"name":"0","desc":"default_pg","ranks":"[0, 1]"}},"entries":[]})";
  const Imported imported =
      import({{"rank0.json", {}, 0, recorder},
              {"rank1.txt", {}, 0, "Process 7: python\n\nThread 7 (idle): \"MainThread\"\n    f (a.py:1)\n"}});
  ASSERT_THAT(imported.snapshot.processes, SizeIs(2));
  EXPECT_EQ(imported.snapshot.processes[0].last().identity.job_key,
            imported.snapshot.processes[1].last().identity.job_key);
}

TEST(ImportStacks, FilesThatTellNeitherRankNorPidAreProcessesOfTheirOwn) {
  const std::string dump = "Current thread 0x00007f10 (most recent call first):\n  File \"/job/a.py\", line 1 in f\n";
  const Imported imported = import({{"a.txt", {}, 0, dump}, {"b.txt", {}, 0, dump}});
  EXPECT_THAT(imported.snapshot.processes, SizeIs(2));
}

TEST(ImportStacks, WithoutARankEachPidIsAProcess) {
  const Imported imported = import({{"all.txt",
                                     {},
                                     0,
                                     "Process 7: python\n\nThread 7 (idle): \"MainThread\"\n    f (a.py:1)\n"
                                     "Process 8: python\n\nThread 8 (idle): \"MainThread\"\n    f (a.py:1)\n"}});
  ASSERT_THAT(imported.snapshot.processes, SizeIs(2));
  EXPECT_EQ(imported.snapshot.processes[1].last().pid, 8);
  EXPECT_EQ(imported.snapshot.processes[1].last().identity.rank, std::nullopt);
}

TEST(ImportStacks, RecordsAndStacksOfARankAreOneProcess) {
  const std::string recorder =
      R"({"version":"2.9","pg_config":{"0":{"name":"0","desc":"default_pg","ranks":"[0, 1]"}},"entries":[)"
      R"({"record_id":0,"pg_id":0,"process_group":["0","default_pg"],"collective_seq_id":1,)"
      R"("profiling_name":"nccl:all_reduce","time_created_ns":1000000000,"input_sizes":[[4]],"input_dtypes":["Float"]}]})";
  const Imported imported = import({
      {"rank1.txt", {}, 0, "Process 7: python\n\nThread 7 (idle): \"MainThread\"\n    step (train.py:22)\n"},
      {"rank1.json", {}, 0, recorder},
  });
  ASSERT_THAT(imported.snapshot.processes, SizeIs(1));
  const auto& process = imported.snapshot.processes[0].last();
  EXPECT_THAT(process.threads, SizeIs(1));
  EXPECT_THAT(process.flight_recorders, SizeIs(1));
  EXPECT_EQ(process.identity.world_size, 2);
}

TEST(ImportStacks, OneFileOfAllTasksIsSplitByThePrefixOfItsLines) {
  const Imported imported = import({{"slurm.out",
                                     {},
                                     0,
                                     "\xEF\xBB\xBF"
                                     "0: Process 7: python\r\n1: Process 8: python\r\n0: \r\n1: \r\n"
                                     "0: Thread 7 (idle): \"MainThread\"\r\n1: Thread 8 (idle): \"MainThread\"\r\n"
                                     "1:     g (a.py:2)\r\n0:     f (a.py:1)\r\nsrun: words\r\n"}});
  EXPECT_TRUE(imported.problems.empty());
  ASSERT_THAT(imported.snapshot.processes, SizeIs(2));
  const auto& second = imported.snapshot.processes[1].last();
  EXPECT_EQ(second.identity.rank, 1);
  EXPECT_EQ(second.identity.rank_source, "the prefix of its lines");
  EXPECT_EQ(second.pid, 8);
  EXPECT_THAT(texts(second.threads.at(0)), ElementsAre("py g a.py:2"));
}

TEST(ImportStacks, OneRankForSeveralProcessesIsAnError) {
  const std::string two =
      "Process 7: python\n\nThread 7 (idle): \"MainThread\"\n    f (a.py:1)\n"
      "Process 8: python\n\nThread 8 (idle): \"MainThread\"\n    f (a.py:1)\n";
  const Imported imported = import({{"all.txt", 3, 0, two}});
  EXPECT_TRUE(imported.snapshot.processes.empty());
  ASSERT_THAT(imported.problems, SizeIs(1));
  EXPECT_THAT(imported.problems[0].error.message, HasSubstr("several processes (pids 7 and 8)"));
  const Imported tasks = import({{"all.txt", 3, 0, "0: a\n1: b\n0: c\n1: d\n"}});
  ASSERT_THAT(tasks.problems, SizeIs(1));
  EXPECT_THAT(tasks.problems[0].error.message, HasSubstr("lines of 2 tasks"));
}

TEST(ImportStacks, WhatARankHasStartedMayBeInItsFile) {
  const Imported imported = import({{"a.txt", 3, 0,
                                     "Process 7: python\n\nThread 7 (idle): \"MainThread\"\n    f (a.py:1)\n"
                                     "Process 8: nvcc\nParent Process 7: python\n\nThread 8 (idle): \"MainThread\"\n"
                                     "    f (a.py:1)\n"}});
  EXPECT_TRUE(imported.problems.empty());
  EXPECT_EQ(imported.snapshot.processes.at(0).last().identity.rank, 3);
}

TEST(ImportStacks, WhatAToolSaidWhenItFailedIsToldAsSuch) {
  const auto told = [](const char* text) {
    const Imported imported = import({{"rank1.txt", {}, 0, text}});
    return imported.problems.size() == 1 ? imported.problems[0].error.message : std::string();
  };
  EXPECT_THAT(told("Error: Failed to find python version from target process\n"), HasSubstr("what py-spy said"));
  EXPECT_THAT(told("Error: Permission Denied\n"), HasSubstr("what py-spy said"));
  EXPECT_THAT(told("Could not attach to process.  If your uid matches\nptrace: Operation not permitted.\n"),
              HasSubstr("gdb said when it failed: \"ptrace: Operation not permitted.\""));
  EXPECT_THAT(told("eu-stack: dwfl_linux_proc_attach pid 7: Operation not permitted\n"),
              HasSubstr("what eu-stack said"));
  EXPECT_THAT(told("bash: line 1: py-spy: command not found\n"), HasSubstr("what the shell said"));
}

}  // namespace
}  // namespace hangstack::ingest
