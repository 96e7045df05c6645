#include <fmt/format.h>
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
using tests::in_all_reduce;
using tests::JobBuilder;

std::string in_destroy(int rank, int world, const std::string& rest = "") {
  return fmt::format(
      "process rank={} world={} at=1000\nthread main asleep=60 syscall=futex\n  syscall libc.so.6\n"
      "  c10d::ProcessGroupNCCL::shutdown() libtorch_cuda.so\n"
      "  py destroy_process_group /v/lib/python3.12/site-packages/torch/distributed/distributed_c10d.py:2200\n"
      "  py main train.py:9\n{}",
      rank, world, rest);
}

TEST(AbortDeadlock, AllRanksInTeardownAndNothingMoves) {
  JobBuilder job;
  for (const int rank : {0, 1}) job.still(in_destroy(rank, 2));
  const Job judged = only_job(job);
  EXPECT_EQ(judged.verdict.pattern, "abort_deadlock");
  EXPECT_EQ(judged.verdict.shape, "in destroy_process_group");
  EXPECT_EQ(judged.verdict.hung, Hung::yes);
  EXPECT_EQ(judged.verdict.confidence, Confidence::likely);
  EXPECT_FALSE(judged.verdict.first_cause);
}

TEST(AbortDeadlock, WhatTheRanksLeftUnfinishedIsTheFirstCause) {
  JobBuilder stuck;
  for (const int rank : {0, 1}) stuck.still(in_destroy(rank, 2, "recorded all_reduce #2 backend=nccl age=90\n"));
  const Job judged = only_job(stuck);
  EXPECT_EQ(judged.verdict.pattern, "abort_deadlock");
  ASSERT_TRUE(judged.verdict.first_cause);
  EXPECT_EQ(judged.verdict.first_cause->pattern, "nccl_timeout");
  JobBuilder mismatch;
  mismatch.still(in_destroy(0, 3, "recorded all_reduce #2 backend=nccl age=90\n"));
  mismatch.still(in_destroy(1, 3, "recorded all_reduce #2 backend=nccl age=90\n"));
  mismatch.still(in_destroy(2, 3, "recorded all_gather #2 backend=nccl age=90\n"));
  const Job other = only_job(mismatch);
  ASSERT_TRUE(other.verdict.first_cause);
  EXPECT_EQ(other.verdict.first_cause->pattern, "collective_mismatch");
  EXPECT_EQ(other.verdict.first_cause->ranks, RankSet{2});
}

TEST(AbortDeadlock, IsNotSaidWhileARankIsElsewhere) {
  JobBuilder job;
  job.still(in_destroy(0, 2));
  job.still(in_all_reduce(1, 2));
  EXPECT_NE(only_job(job).verdict.pattern, "abort_deadlock");
}

TEST(AbortDeadlock, ARankThatWasNotReadMakesItPossibleOnly) {
  JobBuilder job;
  for (const int rank : {0, 1}) job.still(in_destroy(rank, 3));
  EXPECT_EQ(only_job(job).verdict.confidence, Confidence::possible);
}

}  // namespace
}  // namespace hangstack::classifiers
