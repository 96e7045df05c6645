#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "ingest/stacks/frame_line.h"
#include "ingest/stacks/stack_dump.h"
#include "tests/unit/ingest/frame_texts.h"

namespace hangstack::ingest {
namespace {

using model::Thread;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

std::vector<StackDump> read(std::string_view text) {
  EXPECT_TRUE(looks_like_stacks(text));
  auto dumps = read_stacks(text);
  EXPECT_TRUE(dumps.has_value()) << dumps.error().message;
  return dumps ? std::move(*dumps) : std::vector<StackDump>{};
}

StackDump only(std::string_view text) {
  auto dumps = read(text);
  EXPECT_EQ(dumps.size(), 1U);
  return dumps.empty() ? StackDump{} : std::move(dumps.front());
}

constexpr std::string_view kPySpy =
    "Process 5143: python train.py --lr 1\n"
    "Python v3.12.1 (/usr/bin/python3.12)\n"
    "\n"
    "Thread 5143 (idle): \"MainThread\"\n"
    "    usleep (libc.so.6)\n"
    "    cuCtxSynchronize (cuda.cpp:99)\n"
    "    std::this_thread::sleep_for<long, std::ratio<(long)1, (long)1000> > (thread:379)\n"
    "    synchronize (torch/cuda/__init__.py:1085)\n"
    "        Arguments:\n"
    "            device: \"cuda (0)\"\n"
    "    barrier (distributed_c10d.py:3943)\n"
    "    step (train.py:22)\n"
    "    <module> (train.py:41)\n"
    "    0x7fc1c384524a (libc.so.6)\n"
    "Thread 5146 (active+gil): \"feeder\"\n"
    "    Queue.get (queue.py:171)\n"
    "Thread 0x7FB9D1 (idle)\n"
    "\n";

TEST(Stacks, PySpyTellsThreadsFramesAndTheGil) {
  const StackDump dump = only(kPySpy);
  EXPECT_EQ(dump.tool, "py-spy --native");
  EXPECT_EQ(dump.pid, 5143);
  EXPECT_THAT(dump.command_line, ElementsAre("python train.py --lr 1"));
  EXPECT_EQ(dump.python_version, "3.12.1");
  EXPECT_EQ(dump.not_read, 0U);
  ASSERT_THAT(dump.threads, SizeIs(3));
  EXPECT_THAT(
      texts(dump.threads[0]),
      ElementsAre("usleep [libc.so.6]", "cuCtxSynchronize cuda.cpp:99",
                  "std::this_thread::sleep_for<long, std::ratio<(long)1, (long)1000> > thread:379",
                  "py synchronize torch/cuda/__init__.py:1085", "py barrier torch/distributed/distributed_c10d.py:3943",
                  "py step train.py:22", "py <module> train.py:41"));
  EXPECT_EQ(dump.threads[0].tid, 5143);
  EXPECT_EQ(dump.threads[0].kernel_state, 'S');
  EXPECT_EQ(dump.threads[1].kernel_state, 'R');
  EXPECT_EQ(dump.threads[1].gil, model::GilState::holds);
  EXPECT_EQ(dump.threads[1].python_name, "feeder");
  EXPECT_GT(dump.threads[2].tid, 5146) << "a number of its own, where the tool tells none";
}

TEST(Stacks, AThreadInWhichPySpySawNothingRunsNoPython) {
  const StackDump dump = only("Process 7: python\n\nThread 7 (idle): \"MainThread\"\n\n");
  EXPECT_THAT(texts(dump.threads.at(0)), ElementsAre("marker no Python code"));
  const StackDump cut = only("Process 7: python\n\nThread 7 (idle): \"MainThread\"\n");
  EXPECT_THAT(cut.threads.at(0).frames, SizeIs(0)) << "the file may have been cut off there";
  EXPECT_EQ(cut.not_read, 1U);
}

TEST(Stacks, AFrameWithoutAFileKeepsItsWords) {
  const auto text = [](const char* line) {
    Thread thread;
    const auto frame = py_spy_frame(line);
    if (frame) thread.frames.push_back(*frame);
    return frame ? texts(thread).front() : std::string("none");
  };
  EXPECT_EQ(text("    all_reduce (?)"), "py all_reduce");
  EXPECT_EQ(text("    forward (vision encoder)"), "py forward");
  EXPECT_EQ(text("    cuda.synchronize (?)"), "py cuda.synchronize");
  EXPECT_EQ(text("    cuStreamSynchronize (?)"), "cuStreamSynchronize");
  EXPECT_EQ(text("    c10::cuda::memcpy_and_sync (?)"), "c10::cuda::memcpy_and_sync");
  EXPECT_EQ(text("    <module> (<string>:1)"), "py <module> <string>:1");
  EXPECT_EQ(text("      x: 1 (a.py:2)"), "none");
  EXPECT_EQ(text("    no place"), "none");
}

TEST(Stacks, GdbTellsNamesArgumentsAndSourcesInSeveralShapes) {
  const StackDump dump = only(
      "[New LWP 5146]\n"
      "warning: Error disabling address space randomization\n"
      "\n"
      "Thread 2 (Thread 0x7fb9d19ad6c0 (LWP 5146) \"pt_nccl_watchdg\"):\n"
      "#0  futex_wait (word=0x55 \")\", op=393) at ./nptl/futex-internal.c:57\n"
      "#1  0x00007fb9 in c10::(anonymous namespace)::run (this=0x1) from /lib/libc10.so\n"
      "#2  0x00007fb9 in std::function<void ()>::operator()() const (this=0x2)\n"
      "    at /usr/include/functional:7\n"
      "        local = {x = 1}\n"
      "#3  0x00007fb9 in ?? () from /lib/libcuda.so.1\n"
      "#4  <signal handler called>\n"
      "\n"
      "Thread 1 (LWP 5143):\n"
      "#0  0x00007fb9 in poll () from /lib/libc.so.6\n"
      "[Inferior 1 (process 5143) detached]\n");
  EXPECT_EQ(dump.tool, "gdb");
  EXPECT_EQ(dump.pid, 5143);
  EXPECT_EQ(dump.not_read, 0U);
  ASSERT_THAT(dump.threads, SizeIs(2));
  EXPECT_EQ(dump.threads[0].name, "pt_nccl_watchdg");
  EXPECT_THAT(texts(dump.threads[0]),
              ElementsAre("futex_wait ./nptl/futex-internal.c:57", "c10::(anonymous namespace)::run [/lib/libc10.so]",
                          "std::function<void ()>::operator()() const /usr/include/functional:7",
                          "?? [/lib/libcuda.so.1]", "<signal handler called>"));
  EXPECT_THAT(texts(dump.threads[1]), ElementsAre("poll [/lib/libc.so.6]"));
}

TEST(Stacks, AStackOfGdbAloneIsTheMainThread) {
  const StackDump dump = only("#0  0x1 in poll () from /lib/libc.so.6\n#1  0x2 in main ()\n");
  ASSERT_THAT(dump.threads, SizeIs(1));
  EXPECT_EQ(dump.threads[0].tid, dump.pid);
  EXPECT_THAT(dump.threads[0].frames, SizeIs(2));
}

TEST(Stacks, EuStackTellsTheLibrary) {
  const StackDump dump = only(
      "PID 12817 - process\n"
      "TID 12817:\n"
      "#0  0x00007fc1c38ed545 clock_nanosleep@GLIBC_2.2.5 - /usr/lib/libc.so.6\n"
      "#1  0x00007fc1c391d295 - 1 waitfor(Stream*, unsigned long) - /opt/libcuda.so.1\n"
      "    cuda.cpp:95\n"
      "#2  0x00007fc1c36d44a3 - /usr/lib/libstdc++.so.6.0.30\n"
      "TID 12903:\n"
      "#0  0x00007fc1c3926f36 epoll_wait - /usr/lib/libc.so.6\n");
  EXPECT_EQ(dump.tool, "eu-stack");
  EXPECT_EQ(dump.pid, 12817);
  ASSERT_THAT(dump.threads, SizeIs(2));
  EXPECT_THAT(texts(dump.threads[0]), ElementsAre("clock_nanosleep@GLIBC_2.2.5 [/usr/lib/libc.so.6]",
                                                  "waitfor(Stream*, unsigned long) [/opt/libcuda.so.1] cuda.cpp:95",
                                                  "?? [/usr/lib/libstdc++.so.6.0.30]"));
}

TEST(Stacks, PystackTellsTheOutermostFrameFirst) {
  const StackDump dump = only(
      "Traceback for thread 5146 (python) [Waiting for the GIL] (most recent call last):\n"
      "    (C) File \"./Modules/_threadmodule.c\", line 1114, in thread_run (/usr/lib/libpython3.12.so.1.0)\n"
      "    (Python) File \"/usr/lib/python3.12/threading.py\", line 1030, in _bootstrap\n"
      "        self._bootstrap_inner()\n"
      "      Arguments:\n"
      "        self: <Thread at 0x7f>\n"
      "\n"
      "Traceback for thread 5143 (python) [Has the GIL] (most recent call last):\n"
      "    (Python) File \"/job/train.py\", line 11, in <module>\n"
      "        outer(3)\n"
      "    (Python) File \"/job/train.py\", line 10, in outer\n"
      "        lock.acquire()\n");
  EXPECT_EQ(dump.tool, "pystack");
  EXPECT_EQ(dump.pid, 5143) << "the oldest thread";
  EXPECT_EQ(dump.not_read, 0U);
  ASSERT_THAT(dump.threads, SizeIs(2));
  EXPECT_THAT(texts(dump.threads[0]),
              ElementsAre("py _bootstrap /usr/lib/python3.12/threading.py:1030",
                          "thread_run [/usr/lib/libpython3.12.so.1.0] ./Modules/_threadmodule.c:1114"));
  EXPECT_EQ(dump.threads[0].gil, model::GilState::waits);
  EXPECT_THAT(texts(dump.threads[1]), ElementsAre("py outer /job/train.py:10", "py <module> /job/train.py:11"));
}

TEST(Stacks, FaulthandlerTellsTheMainThreadLast) {
  const StackDump dump = only(
      "Fatal Python error: Aborted\n\n"
      "Thread 0x00007fb9d19ad6c0 [feeder] (most recent call first):\n"
      "  File \"/usr/lib/python3.14/queue.py\", line 171 in get\n"
      "  ...\n"
      "\n"
      "Current thread 0x00007fb9d250db80 (most recent call first):\n"
      "  File \"/job/train.py\", line 10 in outer\n"
      "  File \"/job/train.py\", line 11 in <module>\n");
  EXPECT_EQ(dump.tool, "faulthandler");
  ASSERT_THAT(dump.threads, SizeIs(2));
  EXPECT_EQ(dump.threads[1].tid, dump.pid);
  EXPECT_NE(dump.threads[0].tid, dump.pid);
  EXPECT_EQ(dump.threads[0].python_name, "feeder");
  EXPECT_THAT(texts(dump.threads[1]), ElementsAre("py outer /job/train.py:10", "py <module> /job/train.py:11"));
}

TEST(Stacks, PySpyJsonTellsTheSame) {
  const auto dumps = read_py_spy_json(
      R"([{"pid":7,"thread_id":140,"thread_name":"MainThread","os_thread_id":7,"active":true,"owns_gil":true,"frames":[)"
      R"({"name":"poll","filename":"/lib/libc.so.6","module":"/lib/libc.so.6","short_filename":"libc.so.6","line":0},)"
      R"({"name":"step","filename":"/job/train.py","module":null,"short_filename":"train.py","line":22}]}])");
  ASSERT_TRUE(dumps.has_value()) << dumps.error().message;
  const Thread& thread = dumps->at(0).threads.at(0);
  EXPECT_THAT(texts(thread), ElementsAre("poll [/lib/libc.so.6] /lib/libc.so.6", "py step /job/train.py:22"));
  EXPECT_EQ(thread.gil, model::GilState::holds);
  EXPECT_FALSE(read_py_spy_json("[1]").has_value());
  EXPECT_FALSE(read_py_spy_json("[{").has_value());
}

TEST(Stacks, WhatIsNoFrameIsCountedWithItsLine) {
  const StackDump dump =
      only("Process 7: python\n\nThread 7 (idle): \"MainThread\"\n    f (a.py:1)\n???\n    g (a.py:2)\n");
  EXPECT_EQ(dump.not_read, 1U);
  EXPECT_EQ(dump.first_not_read, 5U);
  EXPECT_THAT(dump.threads.at(0).frames, SizeIs(2));
}

TEST(Stacks, ATextWithoutThreadsIsRefused) {
  const auto nothing = read_stacks("words\nand words\n");
  ASSERT_FALSE(nothing.has_value());
  EXPECT_THAT(nothing.error().message, HasSubstr("no thread in its 2 lines"));
  EXPECT_FALSE(looks_like_stacks("words\n"));
}

TEST(Stacks, MoreThreadsThanABoundAreRefusedWithTheLine) {
  std::string text = "Process 7: python\n";
  for (std::size_t i = 0; i <= kMostStackThreads; ++i) text += "TID " + std::to_string(i + 1) + ":\n";
  const auto dumps = read_stacks(text);
  ASSERT_FALSE(dumps.has_value());
  EXPECT_THAT(dumps.error().message, HasSubstr("line 100002: more than 100000 threads"));
}

TEST(Stacks, DumpsThatNameNoProcessBeginANewOneBehindAMainThread) {
  const std::string faulthandler =
      "Thread 0x00007f01 (most recent call first):\n  File \"/a.py\", line 1 in f\n\n"
      "Current thread 0x00007f02 (most recent call first):\n  File \"/a.py\", line 9 in <module>\n\n";
  EXPECT_THAT(read(faulthandler + faulthandler), SizeIs(2));
  const auto pystack = [](const char* tid) {
    return std::string("Traceback for thread ") + tid +
           " (python) [] (most recent call last):\n    (Python) File \"/a.py\", line 9, in <module>\n\n";
  };
  const auto dumps = read(pystack("19625") + pystack("19626"));
  ASSERT_THAT(dumps, SizeIs(2));
  EXPECT_EQ(dumps[1].pid, 19626);
}

TEST(Stacks, ColoursOfATerminalAreNoPartOfAName) {
  const StackDump dump = only(
      "Process 7: python\n\nThread 7 (idle): \"MainThread\"\n    \x1b[32mstep\x1b[0m (\x1b[36mtrain.py\x1b[0m:22)\n");
  EXPECT_THAT(texts(dump.threads.at(0)), ElementsAre("py step train.py:22"));
}

TEST(Stacks, AThreadSeenAgainIsOfAnotherLook) {
  const std::string look = "Thread 7 (idle): \"MainThread\"\n    f (a.py:1)\n";
  const auto dumps = read("Process 7: python\n" + look + "Process 7: python\n" + look);
  EXPECT_THAT(dumps, SizeIs(2));
}

TEST(Stacks, PyBtOfGdbGivesPythonsFramesBelowNativeOnes) {
  const StackDump dump = only(
      "Thread 1 (Thread 0x7f10 (LWP 7) \"python\"):\n#0  0x1 in poll () from /lib/libc.so.6\n"
      "#1  0x2 in _PyEval_EvalFrameDefault () from p\n#2  0x3 in main ()\n"
      "Traceback (most recent call first):\n  <built-in method acquire of _thread.lock object at remote 0x7f10>\n"
      "  File \"/job/train.py\", line 88, in step\n    loss.backward()\n  File \"/job/train.py\", line 99, in "
      "<module>\n");
  EXPECT_EQ(dump.tool, "gdb");
  EXPECT_EQ(dump.not_read, 0U);
  EXPECT_THAT(texts(dump.threads.at(0)),
              ElementsAre("poll [/lib/libc.so.6]", "py step /job/train.py:88", "py <module> /job/train.py:99"));
}

TEST(Stacks, PyBtOfAllThreadsIsAnotherToolsLook) {
  const auto dumps = read(
      "Thread 1 (LWP 7):\n#0  0x1 in poll () from /lib/libc.so.6\n"
      "Thread 1 (LWP 7):\nTraceback (most recent call first):\n  File \"/job/train.py\", line 88, in step\n");
  ASSERT_THAT(dumps, SizeIs(2));
  EXPECT_EQ(dumps[1].tool, "gdb py-bt");
  EXPECT_EQ(dumps[1].pid, dumps[0].pid);
}

TEST(Stacks, PyBtFullIsRead) {
  const StackDump dump =
      only("Thread 1 (LWP 7):\n#5 Frame 0x7f10, for file /job/train.py, line 88, in step (x=1)\n    f(x)\n");
  EXPECT_THAT(texts(dump.threads.at(0)), ElementsAre("py step /job/train.py:88"));
}

}  // namespace
}  // namespace hangstack::ingest
