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
using tests::in_user_code;
using tests::JobBuilder;

/// A rank that has waited long for the device, with what its recorder holds, a line each.
std::string waits(int rank, int world, const std::string& recorded, const std::string& about = "backend=nccl") {
  std::string text = in_device_wait(rank, world);
  std::istringstream lines(recorded);
  for (std::string line; std::getline(lines, line);) text += fmt::format("recorded {} {} age=60\n", line, about);
  return text;
}

TEST(NcclTimeout, ACollectiveThatAllMembersCalledAlikeAndNoDeviceEnds) {
  JobBuilder job;
  for (const int rank : {0, 1}) job.still(waits(rank, 2, "all_reduce #3"));
  const Job judged = only_job(job);
  EXPECT_EQ(judged.verdict.pattern, "nccl_timeout");
  EXPECT_EQ(judged.verdict.shape, "ended on no device");
  EXPECT_EQ(judged.verdict.hung, Hung::yes);
  EXPECT_EQ(judged.verdict.confidence, Confidence::likely);
  EXPECT_TRUE(judged.verdict.culprit_ranks.empty());
  EXPECT_THAT(judged.verdict.summary, HasSubstr("(ranks 0-1) are in all_reduce #3 of nccl group \"default_pg\""));
}

TEST(NcclTimeout, TheRankWhoseDeviceHasNotEndedItIsNamed) {
  JobBuilder job;
  for (const int rank : {0, 2}) job.still(waits(rank, 3, "all_reduce #3 finished=1\nall_reduce #4"));
  job.still(waits(1, 3, "all_reduce #3"));
  const Job judged = only_job(job);
  EXPECT_EQ(judged.verdict.pattern, "nccl_timeout");
  EXPECT_EQ(judged.verdict.shape, "not ended on some devices");
  EXPECT_EQ(judged.verdict.culprit_ranks, RankSet{1});
  EXPECT_THAT(judged.verdict.summary, HasSubstr("Ranks 0,2 have finished all_reduce #3"));
}

TEST(NcclTimeout, NeedsEveryMemberToHaveCalledIt) {
  JobBuilder job;
  job.still(waits(0, 2, "all_reduce #3"));
  job.still(waits(1, 2, "all_reduce #2 finished=1"));
  EXPECT_NE(only_job(job).verdict.pattern, "nccl_timeout");
}

TEST(NcclTimeout, NeedsToKnowTheMembers) {
  JobBuilder unlisted;
  for (const int rank : {0, 1}) unlisted.still(waits(rank, 3, "all_reduce #3"));
  EXPECT_NE(only_job(unlisted).verdict.pattern, "nccl_timeout") << "rank 2 was not read and may be a member";
  JobBuilder listed;
  for (const int rank : {0, 1}) listed.still(waits(rank, 3, "all_reduce #3", "backend=nccl group=dp members=0+1"));
  EXPECT_EQ(only_job(listed).verdict.pattern, "nccl_timeout");
}

TEST(NcclTimeout, WhatStandsBehindAnotherGroupsCollectiveIsNotTheOne) {
  JobBuilder job;
  const std::string tp = "backend=nccl group=tp members=0+2";
  const std::string dp = "backend=nccl group=dp members=0+1";
  job.still(waits(0, 3, "all_reduce #1", tp) + "recorded all_gather #5 age=59 " + dp + "\n");
  job.still(waits(1, 3, "all_gather #5", dp));
  job.still(waits(2, 3, "all_reduce #1", tp));
  const Job judged = only_job(job);
  EXPECT_EQ(judged.verdict.pattern, "nccl_timeout");
  EXPECT_THAT(judged.verdict.summary, HasSubstr("(ranks 0,2) are in all_reduce #1 of nccl group \"tp\""));
}

TEST(NcclTimeout, IsNoVerdictOnGloo) {
  JobBuilder job;
  for (const int rank : {0, 1}) job.still(waits(rank, 2, "all_reduce #3", "backend=gloo"));
  EXPECT_EQ(only_job(job).verdict.pattern, "unknown");
}

TEST(NcclTimeout, AMemberThatIsElsewhereOnItsHostIsJudgedAsAStraggler) {
  JobBuilder job;
  job.still(waits(0, 2, "all_reduce #3"));
  job.still(in_user_code(1, 2, "asleep=60 syscall=clock_nanosleep", kSleep) +
            "recorded all_reduce #3 backend=nccl age=60\n");
  EXPECT_EQ(only_job(job).verdict.pattern, "host_straggler");
}

}  // namespace
}  // namespace hangstack::classifiers
