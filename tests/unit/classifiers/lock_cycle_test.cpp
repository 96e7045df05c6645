#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/job_builder.h"
#include "tests/unit/classifiers/judged_job.h"

namespace hangstack::classifiers {
namespace {

using model::Confidence;
using model::Hung;
using model::Job;
using model::RankSet;
using ::testing::HasSubstr;
using tests::in_all_reduce;
using tests::JobBuilder;

constexpr const char* kMutexWait = "  lll_lock_wait libc.so.6\n  pthread_mutex_lock libc.so.6\n";

std::string thread(const std::string& name, const std::string& keys, const std::string& function) {
  return "thread " + name + " syscall=futex asleep=40 " + keys + "\n" + kMutexWait + "  " + function + " job\n";
}

TEST(LockCycle, TwoThreadsThatHoldEachOthersMutexAreCertain) {
  JobBuilder job;
  job.still("process pid=7\n" + thread("main", "lock_holder=8", "save") +
            thread("worker", "tid=8 lock_holder=7", "load"));
  const Job judged = only_job(job);
  EXPECT_EQ(judged.verdict.pattern, "lock_cycle");
  EXPECT_EQ(judged.verdict.hung, Hung::yes);
  EXPECT_EQ(judged.verdict.confidence, Confidence::certain);
  EXPECT_EQ(judged.verdict.summary, "Threads 7 and 8 each wait for what the other holds.");
  EXPECT_THAT(observations(judged), HasSubstr("for a mutex that thread 8 (worker) holds; that one waits for"));
}

TEST(LockCycle, ARingOfThreeAndAMutexLockedTwiceAreCyclesToo) {
  JobBuilder ring;
  ring.still("process pid=7\n" + thread("main", "lock_holder=8", "a") + thread("b", "tid=8 lock_holder=9", "b") +
             thread("c", "tid=9 lock_holder=7", "c"));
  EXPECT_EQ(only_job(ring).verdict.summary, "Threads 7, 8 and 9 wait for each other in a ring.");
  JobBuilder twice;
  twice.still("process pid=7\n" + thread("main", "lock_holder=7", "again"));
  EXPECT_EQ(only_job(twice).verdict.summary, "Thread 7 waits for a mutex that it holds itself.");
}

TEST(LockCycle, OneThatWaitsForAHolderWhoWaitsForNobodyIsNone) {
  JobBuilder job;
  job.still("process pid=7\n" + thread("main", "lock_holder=8", "save") +
            "thread worker tid=8 syscall=read asleep=40\n  read libc.so.6\n  load job\n");
  const Job judged = only_job(job);
  EXPECT_EQ(judged.verdict.pattern, "unknown");
  EXPECT_THAT(observations(judged), HasSubstr("for a mutex that thread 8 (worker) holds; that one waits for I/O"));
}

TEST(LockCycle, ThreadsThatMovedAreInNone) {
  JobBuilder job;
  const std::string other = thread("worker", "tid=8 lock_holder=7", "load");
  job.moving("process pid=7\n" + thread("main", "lock_holder=8", "save") + other,
             "process pid=7\n" + thread("main", "lock_holder=8 switches=90", "store") + other);
  EXPECT_NE(only_job(job).verdict.pattern, "lock_cycle");
}

TEST(LockCycle, OneSampleDoesNotCallItHung) {
  JobBuilder job;
  job.once("process pid=7\n" + thread("main", "lock_holder=7", "again"));
  EXPECT_EQ(only_job(job).verdict.pattern, "lock_cycle");
  EXPECT_EQ(only_job(job).verdict.hung, Hung::undecided);
}

TEST(LockCycle, TheRankIsToBlameForPeersThatWait) {
  JobBuilder job;
  job.still(in_all_reduce(0, 2));
  job.still("process rank=1 world=2\n" + thread("main", "lock_holder=8", "save") +
            thread("worker", "tid=8 lock_holder=1001", "load"));
  const Job judged = only_job(job);
  EXPECT_EQ(judged.verdict.pattern, "lock_cycle");
  EXPECT_EQ(judged.verdict.culprit_ranks, RankSet{1});
  EXPECT_THAT(judged.verdict.summary,
              HasSubstr("In rank 1 threads 1001 and 8 each wait for what the other holds; rank 0 waits in "
                        "all_reduce."));
}

TEST(GilDeadlock, AMutexHeldByAThreadThatWaitsForTheGil) {
  JobBuilder job;
  job.still("process pid=7\n" + thread("main", "lock_holder=8 gil=holds", "save") +
            "thread worker tid=8 syscall=futex gil=waits asleep=40\n  pthread_cond_timedwait libc.so.6\n"
            "  take_gil libpython3.12.so.1.0\n  callback job\n");
  const Job judged = only_job(job);
  EXPECT_EQ(judged.verdict.pattern, "gil_deadlock");
  EXPECT_EQ(judged.verdict.confidence, Confidence::certain);
}

}  // namespace
}  // namespace hangstack::classifiers
