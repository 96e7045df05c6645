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

constexpr std::string_view kInDevice =
    "clock_nanosleep libc.so.6\n?? libcuda.so.1\n?? libcuda.so.1\ncudaStreamSynchronize libcudart.so.12\n";

std::string in_device(int rank, int world, std::string_view launched) {
  return in_user_code(rank, world, "asleep=12.5 syscall=clock_nanosleep", kInDevice) + std::string(launched) + "\n";
}

TEST(Launched, EquallyManyAndNotTheSameIsAMismatchOfTheRarerRank) {
  JobBuilder job;
  for (const int rank : {0, 1}) job.still(in_device(rank, 3, "communicator 0x7a ranks=3 AllReduce=2"));
  job.still(in_device(2, 3, "communicator 0x7a ranks=3 AllReduce=1 Broadcast=1"));
  const Job judged = only_job(job);
  EXPECT_EQ(judged.verdict.pattern, "collective_mismatch");
  EXPECT_EQ(judged.verdict.culprit_ranks, RankSet{2});
  EXPECT_THAT(judged.verdict.summary, HasSubstr("Rank 2 has launched 1 Broadcast, 1 AllReduce, ranks 0-1 2 AllReduce"));
  EXPECT_THAT(observations(judged), HasSubstr("2 | launched 1 Broadcast, 1 AllReduce on NCCL communicator 0x7a (3 "
                                              "ranks) | NCCL's memory"));
}

TEST(Launched, MoreOfTheSameIsNoMismatch) {
  JobBuilder job;
  job.still(in_device(0, 2, "communicator 0x7a AllReduce=3"));
  job.still(in_device(1, 2, "communicator 0x7a AllReduce=2"));
  EXPECT_EQ(only_job(job).verdict.pattern, "unknown") << "one of them may just have queued more";
}

TEST(Launched, OtherCommunicatorsAreNotCompared) {
  JobBuilder job;
  job.still(in_device(0, 2, "communicator 0x7a AllReduce=2"));
  job.still(in_device(1, 2, "communicator 0x7b Broadcast=2"));
  EXPECT_EQ(only_job(job).verdict.pattern, "nccl_timeout");
}

TEST(Launched, AheadOnOneAndBehindOnTheOtherMayBeASkippedCollective) {
  JobBuilder job;
  job.still(in_device(0, 2, "communicator 0x7a AllReduce=2\ncommunicator 0x7b AllReduce=1"));
  job.still(in_device(1, 2, "communicator 0x7a AllReduce=1\ncommunicator 0x7b AllReduce=2"));
  const Job judged = only_job(job);
  EXPECT_EQ(judged.verdict.pattern, "collective_mismatch");
  EXPECT_EQ(judged.verdict.confidence, Confidence::possible);
  EXPECT_TRUE(judged.verdict.culprit_ranks.empty());
  EXPECT_THAT(observations(judged), HasSubstr("1 | launched 2 AllReduce on NCCL communicator 0x7b"));
}

TEST(Launched, AFlightRecorderThatSaysOtherwiseDecides) {
  JobBuilder job;
  job.still(in_device(0, 2, "recorded all_reduce #2 backend=nccl\ncommunicator 0x7a AllReduce=2"));
  job.still(in_device(1, 2, "recorded all_reduce #2 backend=nccl\ncommunicator 0x7a AllReduce=1 Broadcast=1"));
  EXPECT_EQ(only_job(job).verdict.pattern, "unknown");
}

TEST(Launched, ACommunicatorThatWasGivenUpIsNotCompared) {
  JobBuilder job;
  job.still(in_device(0, 2, "communicator 0x7a AllReduce=2 aborted=1"));
  job.still(in_device(1, 2, "communicator 0x7a AllReduce=1 Broadcast=1"));
  EXPECT_NE(only_job(job).verdict.pattern, "collective_mismatch");
}

TEST(Launched, SeveralSidesInOneProcessAreNotCompared) {
  JobBuilder job;
  job.still(in_device(0, 2, "communicator 0x7a AllReduce=2\ncommunicator 0x7a AllReduce=1 Broadcast=1"));
  job.still(in_device(1, 2, "communicator 0x7a AllReduce=1 Broadcast=1"));
  EXPECT_NE(only_job(job).verdict.pattern, "collective_mismatch");
}

TEST(Launched, AStragglerThatHasLaunchedLessIsLikely) {
  for (const int launched : {1, 2}) {
    JobBuilder job;
    job.still(in_device(0, 2, "communicator 0x7a AllReduce=2"));
    job.still(in_user_code(1, 2, "asleep=12.5 syscall=clock_nanosleep", kSleep) +
              fmt::format("communicator 0x7a AllReduce={}\n", launched));
    const Job judged = only_job(job);
    EXPECT_EQ(judged.verdict.pattern, "host_straggler");
    EXPECT_EQ(judged.verdict.confidence, launched == 1 ? Confidence::likely : Confidence::possible) << launched;
  }
}

TEST(Launched, ARankThatLaunchesWhereItWaitsHasMoved) {
  JobBuilder job;
  job.moving(in_device(0, 2, "communicator 0x7a AllReduce=2"), in_device(0, 2, "communicator 0x7a AllReduce=3"));
  job.moving(in_device(1, 2, "communicator 0x7a AllReduce=2"), in_device(1, 2, "communicator 0x7a AllReduce=3"));
  const Job judged = only_job(job);
  EXPECT_EQ(judged.verdict.hung, Hung::no);
  EXPECT_THAT(observations(judged), HasSubstr("launched collectives between the samples | NCCL's memory"));
}

TEST(Launched, LaunchesBesideACollectiveThatTheRecorderHasUnfinishedAreNoMovement) {
  JobBuilder job;
  for (const int rank : {0, 1}) {
    const auto sample = [&](int launched) {
      std::string text = in_device(rank, 2,
                                   fmt::format("recorded all_reduce #2 backend=nccl age=50\n"
                                               "communicator 0x7a AllReduce={}",
                                               launched));
      return text.replace(text.find("process "), 8, "process at=100 ");
    };
    job.moving(sample(2), sample(3));
  }
  EXPECT_NE(only_job(job).verdict.hung, Hung::no);
}

TEST(Launched, LaunchesOnOneOfTwoCommunicatorsAreNoMovement) {
  JobBuilder job;
  for (const int rank : {0, 1}) {
    job.moving(in_device(rank, 2, "communicator 0x7a AllReduce=2\ncommunicator 0x7b AllReduce=8"),
               in_device(rank, 2, "communicator 0x7a AllReduce=2\ncommunicator 0x7b AllReduce=9"));
  }
  EXPECT_NE(only_job(job).verdict.hung, Hung::no) << "a heartbeat may go on beside the group that waits";
}

}  // namespace
}  // namespace hangstack::classifiers
