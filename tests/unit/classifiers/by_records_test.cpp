// Jobs that are known by dumps alone.

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
using ::testing::HasSubstr;
using ::testing::Not;
using tests::JobBuilder;

/// Rank `rank` of three, with `lines` in its dump; it was written at second 1000.
std::string dump_of(int rank, std::string_view lines) {
  return fmt::format("process rank={} world=3 dump=rank_{} at=1000 parent=0\n{}", rank, rank, lines);
}

const std::string kMembers = " backend=nccl members=0+1+2";

TEST(ByRecords, OneThatHasNotBegunWhatItsPeersWaitInIsNamed) {
  JobBuilder job;
  for (const int rank : {0, 2}) job.once(dump_of(rank, "recorded all_reduce #5 age=60" + kMembers));
  job.once(dump_of(1, "recorded all_reduce #4 finished=1" + kMembers));
  const Job judged = only_job(job);
  EXPECT_EQ(judged.verdict.pattern, "host_straggler");
  EXPECT_EQ(judged.verdict.culprit_ranks, RankSet{1});
  EXPECT_EQ(judged.verdict.confidence, Confidence::possible) << "records alone";
  EXPECT_EQ(judged.verdict.hung, Hung::yes) << "the file's time gives an age";
  EXPECT_THAT(judged.verdict.summary, HasSubstr("Rank 1 has not begun all_reduce #5"));
}

TEST(ByRecords, NothingIsSaidOfStacks) {
  JobBuilder job;
  for (const int rank : {0, 2}) job.once(dump_of(rank, "recorded all_reduce #5" + kMembers));
  job.once(dump_of(1, "recorded all_reduce #4 finished=1" + kMembers));
  const Job judged = only_job(job);
  EXPECT_EQ(judged.verdict.hung, Hung::undecided) << "no time, no age";
  EXPECT_THAT(observations(judged), Not(HasSubstr("stack")));
  for (const auto& step : judged.verdict.next_steps) EXPECT_THAT(step.command, Not(HasSubstr("--pids")));
  for (const auto& row : judged.ranks) EXPECT_EQ(row.status, model::RankStatus::partial);
  EXPECT_EQ(judged.ranks.size(), 3U);
  EXPECT_EQ(judged.groups.size(), 2U);
}

TEST(ByRecords, ADumpOfActiveOperationsIsJudgedByPyTorchsCount) {
  JobBuilder job;
  for (const int rank : {0, 2}) {
    job.once(dump_of(rank, "recorded all_reduce #5 id=4" + kMembers + "\nenqueued 0 0 5\n"));
    job.snapshot.processes.back().samples.back().flight_recorders[0].forgot = true;
  }
  job.once(dump_of(1, "enqueued 0 0 4\n"));
  auto& silent = job.snapshot.processes.back().samples.back().flight_recorders[0];
  silent.forgot = true;
  silent.groups = {{"0", "default_pg", {0, 1, 2}}};
  EXPECT_EQ(only_job(job).verdict.culprit_ranks, RankSet{1});
  silent.group_status[0].last_enqueued = 5;
  EXPECT_EQ(only_job(job).verdict.pattern, "unknown") << "it has begun the operation and finished it, or does not say";
}

TEST(ByRecords, ACountThatSendsShareSaysNothing) {
  JobBuilder job;
  for (const int rank : {0, 2}) job.once(dump_of(rank, "recorded all_reduce #5" + kMembers + "\nenqueued 0 0 9\n"));
  job.once(dump_of(1, "enqueued 0 0 4\n"));
  auto& silent = job.snapshot.processes.back().samples.back().flight_recorders[0];
  silent.forgot = true;
  silent.groups = {{"0", "default_pg", {0, 1, 2}}};
  EXPECT_EQ(only_job(job).verdict.pattern, "unknown");
}

TEST(ByRecords, OneThatIsBehindBecauseItWaitsElsewhereIsNotNamed) {
  JobBuilder job;
  job.once(dump_of(0, "recorded all_reduce #5" + kMembers));
  // Rank 1 would come to it, but for rank 2.
  job.once(dump_of(1, "recorded all_reduce #4 finished=1" + kMembers +
                          "\nrecorded all_gather #8 group=tp backend=nccl members=1+2"));
  job.once(dump_of(2, "recorded all_reduce #4 finished=1" + kMembers +
                          "\nrecorded all_gather #7 finished=1 group=tp backend=nccl members=1+2"));
  EXPECT_EQ(only_job(job).verdict.culprit_ranks, RankSet{2});
}

TEST(ByRecords, ADeviceThatHasNotFinishedWhatItsPeersHaveIsNamed) {
  JobBuilder job;
  for (const int rank : {0, 1}) job.once(dump_of(rank, "recorded all_reduce #7" + kMembers));
  job.once(dump_of(2, "recorded all_reduce #5" + kMembers + "\nrecorded all_reduce #6" + kMembers));
  const Job judged = only_job(job);
  EXPECT_EQ(judged.verdict.pattern, "nccl_timeout");
  EXPECT_EQ(judged.verdict.culprit_ranks, RankSet{2});
  EXPECT_EQ(judged.verdict.confidence, Confidence::possible);
}

TEST(ByRecords, ABroadcastThatItsRootHasFinishedBlamesNobody) {
  JobBuilder job;
  job.once(dump_of(0, "recorded broadcast #5 finished=1" + kMembers));
  for (const int rank : {1, 2}) job.once(dump_of(rank, "recorded broadcast #5" + kMembers));
  EXPECT_TRUE(only_job(job).verdict.culprit_ranks.empty());
}

TEST(ByRecords, AMemberWithoutADumpIsAwaited) {
  JobBuilder job;
  for (const int rank : {0, 2}) job.once(dump_of(rank, "recorded all_reduce #5" + kMembers));
  const Job judged = only_job(job);
  EXPECT_EQ(judged.verdict.culprit_ranks, RankSet{1});
  EXPECT_EQ(judged.missing_ranks, RankSet{1});
  EXPECT_THAT(observations(judged), HasSubstr("1 | no dump of it | flight recorder"));
}

TEST(ByRecords, AMismatchNeedsNoStacks) {
  JobBuilder job;
  for (const int rank : {0, 1}) job.once(dump_of(rank, "recorded all_reduce #5" + kMembers));
  job.once(dump_of(2, "recorded all_gather #5" + kMembers));
  const Job judged = only_job(job);
  EXPECT_EQ(judged.verdict.pattern, "collective_mismatch");
  EXPECT_EQ(judged.verdict.culprit_ranks, RankSet{2});
  EXPECT_EQ(judged.verdict.confidence, Confidence::possible);
}

TEST(ByRecords, AllFinishedIsNoHang) {
  JobBuilder job;
  for (const int rank : {0, 1, 2}) job.once(dump_of(rank, "recorded all_reduce #5 finished=1" + kMembers));
  const Job judged = only_job(job);
  EXPECT_EQ(judged.verdict.pattern, "unknown");
  EXPECT_EQ(judged.verdict.hung, Hung::undecided);
  EXPECT_THAT(judged.verdict.summary, HasSubstr("No collective is unfinished"));
}

}  // namespace
}  // namespace hangstack::classifiers
