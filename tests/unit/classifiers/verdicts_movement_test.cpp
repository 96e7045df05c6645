// Jobs that move, and those that only seem to.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/job_builder.h"
#include "tests/unit/classifiers/judged_job.h"

namespace hangstack::classifiers {
namespace {

using model::Hung;
using model::Job;
using ::testing::HasSubstr;
using tests::in_all_reduce;
using tests::in_user_code;
using tests::JobBuilder;

TEST(MovingJob, AllMovedIsNotHung) {
  JobBuilder job;
  for (int rank = 0; rank < 2; ++rank) {
    job.moving(in_user_code(rank, 2, "state=R user=5", "  py forward model.py:5"),
               in_user_code(rank, 2, "state=R user=25", "  py loss model.py:50"));
  }
  const Job judged = only_job(job);
  EXPECT_EQ(judged.verdict.pattern, "not_hung");
  EXPECT_EQ(judged.verdict.hung, Hung::no);
}

TEST(MovingJob, SameOperationEnteredAgainIsNotHung) {
  JobBuilder job;
  for (int rank = 0; rank < 2; ++rank) {
    std::string later = in_all_reduce(rank, 2, 20, 0.004);
    later.replace(later.find("thread main asleep"), 18, "thread main switches=42 asleep");
    job.moving(in_all_reduce(rank, 2, 20, 0.01), later);
  }
  EXPECT_EQ(only_job(job).verdict.pattern, "not_hung");
}

/// A rank that computes in one function, with an idle gloo worker that was put on a processor `runs` times.
std::string computing(int rank, int ticks, int runs) {
  return in_user_code(rank, 2, fmt::format("state=R user={}", ticks), "  py burn train.py:5") +
         fmt::format(
             "thread pt_gloo_runloop syscall=futex switches={0} run={0}\n"
             "  pthread_cond_wait libc.so.6\n  c10d::ProcessGroupGloo::runLoop(int) libtorch_cpu.so\n"
             "  start_thread libc.so.6\n",
             runs);
}

/// NCCL turns in a loop over sockets that do not block: at each look it is in another call, and no nearer.
TEST(MovingJob, ARankThatPollsForItsPeerIsNoMovement) {
  const std::string setup =
      "  bootstrapInit libnccl.so.2\n  ncclCommInitRankFunc libnccl.so.2\n  ncclGroupEndInternal libnccl.so.2\n"
      "  py _new_process_group_helper torch/distributed/distributed_c10d.py:5\n"
      "  py init_process_group torch/distributed/distributed_c10d.py:9\n  py main train.py:3\n";
  JobBuilder job;
  job.moving(
      "process rank=0 world=2\nthread main state=R user=5\n  accept libc.so.6\n  ncclSocketAccept libnccl.so.2\n" +
          setup,
      "process rank=0 world=2\nthread main state=R user=205\n  recv libc.so.6\n  socketProgress libnccl.so.2\n" +
          setup);
  job.still(in_user_code(1, 2, "asleep=50 syscall=clock_nanosleep", "  clock_nanosleep libc.so.6"));
  const Job judged = only_job(job);
  EXPECT_EQ(judged.verdict.pattern, "host_straggler");
  EXPECT_NE(judged.verdict.hung, Hung::no);
  EXPECT_EQ(judged.verdict.culprit_ranks, model::RankSet{1});
}

TEST(MovingJob, AStackWithoutANameIsNoMovement) {
  JobBuilder job;
  const std::string setup =
      "  accept libc.so.6\n  ncclSocketAccept libnccl.so.2\n  bootstrapInit libnccl.so.2\n"
      "  py init_process_group torch/distributed/distributed_c10d.py:9\n  py main train.py:3\n";
  for (const int rank : {0, 1}) {
    const std::string head = fmt::format("process rank={} world=2\nthread main state=R user=5\n", rank);
    job.moving(head + "  ?? ?\n", head + setup);
  }
  EXPECT_NE(only_job(job).verdict.hung, Hung::no);
}

TEST(MovingJob, AllThatCircleInOneFunctionAreUndecided) {
  JobBuilder job;
  for (int rank = 0; rank < 2; ++rank) job.moving(computing(rank, 5, 40), computing(rank, 205, 40));
  const Job judged = only_job(job);
  EXPECT_EQ(judged.verdict.pattern, "not_hung");
  EXPECT_EQ(judged.verdict.hung, Hung::undecided);
}

TEST(MovingJob, OperationsCarriedOutMeanwhileSayThatItMoves) {
  JobBuilder job;
  for (int rank = 0; rank < 2; ++rank) job.moving(computing(rank, 5, 40), computing(rank, 205, 47));
  const Job judged = only_job(job);
  EXPECT_EQ(judged.verdict.pattern, "not_hung");
  EXPECT_EQ(judged.verdict.hung, Hung::no);
  EXPECT_THAT(observations(judged), HasSubstr("0-1 | a gloo worker thread carried out operations"));
}

TEST(MovingJob, OperationsOnSomeRanksOnlyDoNotSaySo) {
  JobBuilder job;
  for (int rank = 0; rank < 2; ++rank) job.moving(computing(rank, 5, 40), computing(rank, 205, 40 + rank));
  EXPECT_EQ(only_job(job).verdict.hung, Hung::undecided);
}

}  // namespace
}  // namespace hangstack::classifiers
