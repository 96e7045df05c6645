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
using tests::in_all_reduce;
using tests::in_user_code;
using tests::JobBuilder;

TEST(Recorded, TheStragglersLastOperationStandsBesideWhatItsPeersWaitFor) {
  JobBuilder job;
  job.still(in_all_reduce(0, 2) + "recorded all_reduce #1 finished=1\nrecorded all_reduce #2\n");
  job.still(in_user_code(1, 2, "asleep=12.5 syscall=clock_nanosleep", kSleep) + "recorded all_reduce #1 finished=1\n");
  const Job judged = only_job(job);
  EXPECT_EQ(judged.verdict.pattern, "host_straggler");
  const std::string seen = observations(judged);
  EXPECT_THAT(seen, HasSubstr("0 | all_reduce #2 of gloo group \"default_pg\", [256] Float, not finished | flight "
                              "recorder"));
  EXPECT_THAT(seen, HasSubstr("1 | all_reduce #1 of gloo group \"default_pg\", [256] Float was its last: nothing "
                              "recorded since | flight recorder"));
}

TEST(Recorded, TheLineThatCalledStandsBesideEachOperation) {
  JobBuilder job;
  job.still(in_all_reduce(0, 2) + "recorded all_reduce #1 finished=1\nrecorded all_reduce #2 called=train.py:88\n");
  job.still(in_user_code(1, 2, "asleep=12.5 syscall=clock_nanosleep", kSleep) +
            "recorded all_reduce #1 finished=1 called=train.py:40\n");
  const std::string seen = observations(only_job(job));
  EXPECT_THAT(seen, HasSubstr("[256] Float, called at train.py:88, not finished | flight recorder"));
  EXPECT_THAT(seen, HasSubstr("[256] Float, called at train.py:40, was its last: nothing recorded since"));
}

TEST(Recorded, ARingThatForgotIsJoinedByNumbersNotByCount) {
  JobBuilder job;
  job.still(in_all_reduce(0, 2) + "recorded all_reduce #7 finished=1\nrecorded all_reduce #8\n");
  job.still(in_all_reduce(1, 2) + "recorded all_reduce #8\n");
  EXPECT_EQ(only_job(job).verdict.pattern, "unknown") << "both are in #8";
}

TEST(CollectiveMismatch, NamesTheRankThatIsAloneInItsOperation) {
  JobBuilder job;
  for (const int rank : {0, 1}) job.still(in_all_reduce(rank, 3) + "recorded all_reduce #2\n");
  job.still(in_all_reduce(2, 3) + "recorded all_gather #2\n");
  const Job judged = only_job(job);
  EXPECT_EQ(judged.verdict.pattern, "collective_mismatch");
  EXPECT_EQ(judged.verdict.culprit_ranks, RankSet{2});
  EXPECT_EQ(judged.verdict.hung, Hung::yes);
  EXPECT_EQ(judged.verdict.confidence, Confidence::likely);
  EXPECT_EQ(judged.verdict.shape, "different operations");
  EXPECT_EQ(judged.verdict.summary,
            "Rank 2 is in all_gather #2 of gloo group \"default_pg\", [256] Float, ranks 0-1 are in all_reduce #2 of "
            "gloo group \"default_pg\", [256] Float.");
}

/// A wait for the device naps or spins: the kernel knows no age of it.
TEST(Recorded, AnUnfinishedOperationGivesTheAgeOfADeviceWait) {
  for (const auto& [age, hung] : {std::pair{60, Hung::yes}, {4, Hung::undecided}}) {
    JobBuilder job;
    for (const int rank : {0, 1}) {
      const std::string text = fmt::format(
          "process rank={} world=2 at=1000\nthread main syscall=clock_nanosleep switches={{}}\n  clock_nanosleep "
          "libc.so.6\n"
          "  cuCtxSynchronize libcuda.so.1\n  cudaDeviceSynchronize libcudart.so.12\n  py step train.py:9\n"
          "recorded {} #2 age={}\n",
          rank, rank == 0 ? "all_reduce" : "all_gather", age);
      job.moving(fmt::format(fmt::runtime(text), 5), fmt::format(fmt::runtime(text), 9));
    }
    const Job judged = only_job(job);
    EXPECT_EQ(judged.verdict.pattern, "collective_mismatch");
    EXPECT_EQ(judged.verdict.hung, hung);
  }
}

/// A rank in a device wait whose kernel counters say nothing, with what its recorder holds.
std::string in_device_wait(int rank, const std::string& recorded) {
  return fmt::format(
      "process rank={} world=2 at=1000\nthread main syscall=clock_nanosleep\n  clock_nanosleep libc.so.6\n"
      "  cuCtxSynchronize libcuda.so.1\n  cudaDeviceSynchronize libcudart.so.12\n  py step train.py:9\n{}",
      rank, recorded);
}

TEST(NotHung, CollectivesThatEndBetweenTheSamplesAreMovementThatNoStackShows) {
  JobBuilder job;
  for (const int rank : {0, 1}) {
    job.moving(in_device_wait(rank, "recorded all_reduce #2 age=11\n"),
               in_device_wait(rank, "recorded all_reduce #2 age=13 finished=1\nrecorded all_reduce #3 age=12\n"));
  }
  const Job judged = only_job(job);
  EXPECT_EQ(judged.verdict.pattern, "not_hung");
  EXPECT_EQ(judged.verdict.hung, Hung::no);
  EXPECT_THAT(observations(judged),
              HasSubstr("0-1 | collectives ended or began between the samples | flight recorder"));
}

TEST(NotHung, AGroupThatGoesOnBesideTheOneThatWaitsIsNoMovement) {
  JobBuilder job;
  for (const int rank : {0, 1}) {
    job.moving(in_device_wait(rank, "recorded all_reduce #2 age=40\nrecorded barrier #7 group=beat age=1\n"),
               in_device_wait(rank,
                              "recorded all_reduce #2 age=40\nrecorded barrier #7 group=beat age=3 finished=1\n"
                              "recorded barrier #8 group=beat age=1\n"));
  }
  EXPECT_EQ(only_job(job).verdict.hung, Hung::yes);
}

TEST(NotHung, ARankThatPostsItsCollectiveDoesNotShowThatOperationsComplete) {
  JobBuilder job;
  for (int rank = 0; rank < 8; ++rank) {
    const std::string late =
        rank == 7 ? "recorded all_reduce #1 age=90 finished=1\n" : "recorded all_reduce #2 age=40 id=1\n";
    job.moving(in_device_wait(rank, late), in_device_wait(rank, "recorded all_reduce #2 age=40 id=1\n"));
  }
  EXPECT_NE(only_job(job).verdict.pattern, "not_hung");
}

TEST(NotHung, WhatTheDeviceEndsForARankThatSleepsElsewhereIsNoMovementOfIt) {
  JobBuilder job;
  job.still(in_all_reduce(0, 2) + "recorded all_reduce #2 age=40\n");
  const std::string asleep = in_user_code(1, 2, "asleep=40 syscall=clock_nanosleep", kSleep);
  job.moving(asleep + "recorded all_reduce #1 age=41\n", asleep + "recorded all_reduce #1 age=43 finished=1\n");
  const Job judged = only_job(job);
  EXPECT_EQ(judged.verdict.pattern, "host_straggler");
  EXPECT_EQ(judged.verdict.hung, Hung::yes);
}

/// The recorder leaves the parts of a coalesced batch as they were scheduled; only the entry that closes it ends.
TEST(Recorded, PartsOfACoalescedBatchEndWithIt) {
  JobBuilder job;
  for (const int rank : {0, 1}) {
    job.still(in_device_wait(rank, fmt::format("recorded all_reduce #2 backend=nccl age=900\n"
                                               "recorded coalesced #2 backend=nccl age=900 finished=1\n"
                                               "recorded {} #3 backend=nccl age=50\n",
                                               rank == 0 ? "all_gather" : "all_reduce")));
  }
  const Job judged = only_job(job);
  EXPECT_EQ(judged.verdict.pattern, "collective_mismatch");
  EXPECT_THAT(judged.verdict.summary, HasSubstr("all_gather #3"));
  EXPECT_NEAR(judged.verdict.since_s.value_or(0), 50, 1);
}

/// PyTorch 2.8 names the siblings of one split_group alike.
TEST(Recorded, GroupsOfOneNameAndOtherMembersAreTwo) {
  JobBuilder job;
  for (int rank = 0; rank < 4; ++rank) {
    job.still(in_all_reduce(rank, 4) + fmt::format("recorded {} #2 group=tp members={}\n",
                                                   rank < 2 ? "all_reduce" : "all_gather", rank < 2 ? "0+1" : "2+3"));
  }
  EXPECT_EQ(only_job(job).verdict.pattern, "unknown");
}

TEST(CollectiveMismatch, DifferentSizesOfOneOperationAreOneToo) {
  JobBuilder job;
  job.still(in_all_reduce(0, 2) + "recorded all_reduce #5 elements=256\n");
  job.still(in_all_reduce(1, 2) + "recorded all_reduce #5 elements=128\n");
  const Job judged = only_job(job);
  EXPECT_EQ(judged.verdict.pattern, "collective_mismatch");
  EXPECT_EQ(judged.verdict.shape, "different sizes");
  EXPECT_EQ(judged.verdict.culprit_ranks, (RankSet{0, 1})) << "nothing says which of the two is right";
}

TEST(CollectiveMismatch, IsNotClaimedAcrossGroupsNorAtDifferentNumbers) {
  JobBuilder groups;
  groups.still(in_all_reduce(0, 2) + "recorded all_reduce #2 group=tp\n");
  groups.still(in_all_reduce(1, 2) + "recorded all_gather #2 group=dp\n");
  EXPECT_EQ(only_job(groups).verdict.pattern, "unknown");
  JobBuilder numbers;
  numbers.still(in_all_reduce(0, 2) + "recorded all_reduce #2\n");
  numbers.still(in_all_reduce(1, 2) + "recorded all_reduce #2 finished=1\nrecorded all_gather #3\n");
  EXPECT_EQ(only_job(numbers).verdict.pattern, "unknown");
}

TEST(CrossGroupOrder, TwoGroupsThatWaitForEachOthersRanks) {
  JobBuilder job;
  const std::string before = "recorded all_reduce #1 group=tp finished=1\nrecorded all_reduce #1 group=dp finished=1\n";
  job.still(in_all_reduce(0, 2) + before + "recorded all_reduce #2 group=tp\n");
  job.still(in_all_reduce(1, 2) + before + "recorded all_reduce #2 group=dp\n");
  const Job judged = only_job(job);
  EXPECT_EQ(judged.verdict.pattern, "cross_group_order");
  EXPECT_EQ(judged.verdict.culprit_ranks, (RankSet{0, 1}));
  EXPECT_EQ(judged.verdict.hung, Hung::yes);
  EXPECT_EQ(judged.verdict.summary,
            "Rank 1 is in all_reduce #2 of gloo group \"dp\", [256] Float; rank 0 is in all_reduce #2 of gloo group "
            "\"tp\", [256] Float; neither has begun the other's.");
}

TEST(CrossGroupOrder, NeedsBothToBeExpectedThere) {
  JobBuilder strangers;
  strangers.still(in_all_reduce(0, 2) + "recorded all_reduce #2 group=tp\n");
  strangers.still(in_all_reduce(1, 2) + "recorded all_reduce #2 group=dp\n");
  EXPECT_NE(only_job(strangers).verdict.pattern, "cross_group_order") << "neither was seen in the other's group";
  JobBuilder asynchronous;
  const std::string both = "recorded all_reduce #2 group=tp\nrecorded all_reduce #2 group=dp\n";
  for (const int rank : {0, 1}) asynchronous.still(in_all_reduce(rank, 2) + both);
  EXPECT_NE(only_job(asynchronous).verdict.pattern, "cross_group_order") << "both have begun both";
}

TEST(CrossGroupOrder, WhatARingForgotMayHaveBegun) {
  JobBuilder job;
  job.still(in_all_reduce(0, 2) + "recorded all_reduce #2 group=tp members=0+1\n");
  job.still(in_all_reduce(1, 2) + "recorded all_reduce #2 group=dp members=0+1\n");
  for (auto& history : job.snapshot.processes) {
    for (auto& sample : history.samples) {
      auto& recorder = sample.flight_recorders.front();
      recorder.groups = {{"tp", "", {0, 1}}, {"dp", "", {0, 1}}};
    }
  }
  EXPECT_EQ(only_job(job).verdict.pattern, "cross_group_order");
  for (auto& history : job.snapshot.processes)
    for (auto& sample : history.samples) sample.flight_recorders.front().forgot = true;
  EXPECT_NE(only_job(job).verdict.pattern, "cross_group_order");
}

TEST(NotHung, ARecorderThatWasResetBetweenTheSamplesSaysNothing) {
  JobBuilder job;
  for (const int rank : {0, 1}) {
    job.moving(in_device_wait(rank, "recorded all_reduce #2 age=40 id=57\n"),
               in_device_wait(rank, "recorded all_reduce #2 age=40 id=57\n"));
    auto& recorder = job.snapshot.processes.back().samples.back().flight_recorders.front();
    recorder.recorded = 0;
    recorder.operations.clear();
  }
  EXPECT_NE(only_job(job).verdict.pattern, "not_hung");
}

TEST(CollectiveMismatch, TheSideOfMostRanksIsAlwaysNamed) {
  JobBuilder job;
  for (int rank = 0; rank < 9; ++rank)
    job.still(in_all_reduce(rank, 9) + fmt::format("recorded all_reduce #5 elements={}\n", rank < 6 ? rank + 1 : 99));
  EXPECT_THAT(only_job(job).verdict.summary,
              testing::AllOf(HasSubstr("ranks 6-8 are in all_reduce #5"), HasSubstr("others in 3 more")));
}

TEST(CollectiveMismatch, SizesThatMayDifferAreNone) {
  JobBuilder job;
  job.still(in_all_reduce(0, 2) + "recorded all_to_all #2 elements=10\n");
  job.still(in_all_reduce(1, 2) + "recorded all_to_all #2 elements=20\n");
  EXPECT_THAT(only_job(job).verdict.pattern, Not("collective_mismatch"));
}

}  // namespace
}  // namespace hangstack::classifiers
