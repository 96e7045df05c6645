#include "classifiers/states/movement.h"

#include <gtest/gtest.h>

#include "classifiers/states/thread_state.h"
#include "tests/support/job_builder.h"

namespace hangstack::classifiers {
namespace {

Movement between(const std::string& before, const std::string& after) {
  const auto a = tests::process_of("process pid=7\n" + before);
  const auto b = tests::process_of("process pid=7\n" + after);
  NameTable names;
  const ThreadView old_view = view_of(a.threads.front(), names);
  const ThreadView new_view = view_of(b.threads.front(), names);
  return movement_between(old_view, new_view, state_of(new_view));
}

const std::string kWork =
    "\n pthread_cond_wait libc.so.6\n c10d::Work::wait libtorch_cpu.so\n"
    " py all_reduce torch/distributed/distributed_c10d.py:5\n py f train.py:3";
const std::string kSleep = "\n clock_nanosleep libc.so.6\n time_sleep libpython3.12.so\n py f train.py:3";

TEST(Movement, SameStackAndCountersIsRest) {
  const Movement movement = between("thread main syscall=futex" + kWork, "thread main syscall=futex" + kWork);
  EXPECT_EQ(movement.moved, false);
  EXPECT_FALSE(movement.napped);
}

TEST(Movement, AnUntimedWaitThatRanWasLeftAndEnteredAgain) {
  EXPECT_EQ(between("thread main syscall=futex" + kWork, "thread main syscall=futex switches=8" + kWork).moved, true);
}

TEST(Movement, ASleepThatRanHasOnlyNapped) {
  const Movement movement = between("thread main syscall=clock_nanosleep" + kSleep,
                                    "thread main syscall=clock_nanosleep switches=90 run=90" + kSleep);
  EXPECT_EQ(movement.moved, false);
  EXPECT_TRUE(movement.napped);
}

TEST(Movement, OwnStopsDoNotCountAsMovement) {
  EXPECT_EQ(
      between("thread main syscall=futex stopped=1" + kWork, "thread main syscall=futex switches=9" + kWork).moved,
      false);
  EXPECT_EQ(between("thread main syscall=futex stopped=1" + kWork, "thread main syscall=futex user=9" + kWork).moved,
            true);
}

TEST(Movement, WhatHappenedAfterAnOwnStopCounts) {
  const std::string stopped = "thread main syscall=futex stopped=1 switches=7 run=9 after_stop=8" + kWork;
  EXPECT_EQ(between(stopped, "thread main syscall=futex switches=8 run=10" + kWork).moved, false);
  EXPECT_EQ(between(stopped, "thread main syscall=futex switches=9 run=11" + kWork).moved, true);
}

TEST(Movement, AnotherPythonLineIsMovement) {
  const Movement movement = between("thread main state=R\n py f train.py:3", "thread main state=R\n py f train.py:4");
  EXPECT_EQ(movement.moved, true);
  EXPECT_TRUE(movement.same_place);
}

TEST(Movement, AnotherFunctionIsAnotherPlace) {
  const Movement movement = between("thread main state=R\n py f train.py:3", "thread main state=R\n py g train.py:3");
  EXPECT_EQ(movement.moved, true);
  EXPECT_FALSE(movement.same_place);
}

TEST(Movement, ARunningThreadMovesWithItsClocks) {
  EXPECT_EQ(
      between("thread main state=R user=1\n py f train.py:3", "thread main state=R user=9\n py f train.py:3").moved,
      true);
}

TEST(Movement, ASpinInTheDriverStandsStillWhereverItsAddressIs) {
  const Movement movement =
      between("thread main state=R user=1\n ?? libcuda.so.1\n cudaStreamSynchronize libcudart.so\n py f train.py:3",
              "thread main state=R user=99\n clock_gettime libc.so.6\n ?? libcuda.so.1\n ?? libcuda.so.1\n"
              " cudaStreamSynchronize libcudart.so\n py f train.py:3");
  EXPECT_EQ(movement.moved, false);
  EXPECT_TRUE(movement.napped);
}

TEST(Movement, LeavesOfOneWaitAreOnePlace) {
  EXPECT_EQ(
      between("thread main syscall=poll a2=100\n poll libc.so.6\n c10d::TCPStore::doWait libtorch_cpu.so\n"
              " py init_process_group torch/distributed/distributed_c10d.py:5\n py f train.py:3",
              "thread main syscall=recvfrom switches=30\n recv libc.so.6\n c10d::TCPStore::doWait libtorch_cpu.so\n"
              " py init_process_group torch/distributed/distributed_c10d.py:5\n py f train.py:3")
          .same_place,
      true);
}

TEST(Movement, GlooReceiveThatWokeHasReceived) {
  const std::string receive =
      "\n pthread_cond_clockwait libc.so.6\n gloo::transport::tcp::UnboundBuffer::waitRecv libtorch_cpu.so\n"
      " c10d::ProcessGroupGloo::RecvWork::wait libtorch_cpu.so\n"
      " py recv torch/distributed/distributed_c10d.py:5\n py f train.py:3";
  EXPECT_EQ(
      between("thread main syscall=futex a3=1" + receive, "thread main syscall=futex a3=1 switches=8" + receive).moved,
      true);
}

TEST(Movement, WithoutAStackOnlyRestCanBeTold) {
  EXPECT_EQ(between("thread main\n", "thread main\n").moved, false);
  EXPECT_FALSE(between("thread main\n", "thread main switches=9\n").moved.has_value());
}

}  // namespace
}  // namespace hangstack::classifiers
