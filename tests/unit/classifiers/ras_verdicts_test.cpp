// What NCCL's RAS adds to a verdict.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/classifiers/judged_job.h"

namespace hangstack::classifiers {
namespace {

using model::Confidence;
using model::Job;
using model::RankSet;
using model::RasPresence;
using model::RasRank;
using ::testing::HasSubstr;
using ::testing::Not;
using tests::in_user_code;
using tests::JobBuilder;

constexpr std::size_t kBroadcast = 0;
constexpr std::size_t kAllReduce = 4;

std::string in_device(int rank, std::string_view more = "") {
  return in_user_code(rank, 2, "asleep=12.5 syscall=clock_nanosleep",
                      "clock_nanosleep libc.so.6\n?? libcuda.so.1\ncudaStreamSynchronize libcudart.so.12\n") +
         std::string(more) + "\n";
}

/// RAS's record of one communicator of the builder's processes: `members` in their order.
void told_by_ras(JobBuilder& job, std::vector<RasRank> members, std::uint64_t hash = 0x7a) {
  model::RasRecord record;
  record.reply.status = model::RecordStatus::ok;
  for (std::size_t i = 0; i < members.size(); ++i) {
    members[i].rank = static_cast<std::int32_t>(i);
    members[i].host = "10.0.0.1";
    if (i >= job.snapshot.processes.size()) continue;
    const auto& process = job.snapshot.processes[i].last();
    record.reply.host = process.host;
    record.reply.pids.push_back(process.pid);
    members[i].pid = process.ns_pid != 0 ? process.ns_pid : process.pid;
  }
  const auto ranks = static_cast<std::int32_t>(members.size());
  record.report.communicators.push_back({hash, ranks, std::move(members)});
  job.snapshot.ras.push_back(std::move(record));
}

RasRank launched(std::uint64_t all_reduces, std::uint64_t broadcasts = 0) {
  RasRank rank;
  rank.launched.fill(0);
  rank.launched[kAllReduce] = all_reduces;
  rank.launched[kBroadcast] = broadcasts;
  return rank;
}

TEST(RasVerdicts, TheRankBehindIsNamedWithTheCollectiveAndTheCountsOfAll) {
  JobBuilder job;
  job.still(in_device(0)).still(in_user_code(1, 2, "asleep=12.5 syscall=clock_nanosleep", kSleep));
  told_by_ras(job, {launched(2), launched(1)});
  EXPECT_THAT(observations(only_job(job)),
              HasSubstr("1 | is behind in AllReduce on NCCL communicator 0x7a (2 ranks): rank 0 launched 2, rank 1 "
                        "launched 1 | ras\n"));
}

TEST(RasVerdicts, RasAloneMakesTheStragglerLikely) {
  const auto confidence = [](bool asked) {
    JobBuilder job;
    job.still(in_device(0)).still(in_user_code(1, 2, "asleep=12.5 syscall=clock_nanosleep", kSleep));
    if (asked) told_by_ras(job, {launched(2), launched(1)});
    const Job judged = only_job(job);
    EXPECT_EQ(judged.verdict.pattern, "host_straggler");
    EXPECT_EQ(judged.verdict.culprit_ranks, RankSet{1});
    return judged.verdict.confidence;
  };
  EXPECT_EQ(confidence(false), Confidence::possible) << "the stacks alone";
  EXPECT_EQ(confidence(true), Confidence::likely);
}

TEST(RasVerdicts, RasAloneTellsAMismatch) {
  JobBuilder job;
  job.still(in_device(0)).still(in_device(1));
  told_by_ras(job, {launched(2), launched(1, 1)});
  const Job judged = only_job(job);
  EXPECT_EQ(judged.verdict.pattern, "collective_mismatch");
  EXPECT_THAT(judged.verdict.summary, HasSubstr("1 Broadcast, 1 AllReduce"));
}

TEST(RasVerdicts, WhereRasAndMemoryCountDifferentlyTheVerdictIsOnlyPossible) {
  JobBuilder job;
  job.still(in_device(0, "communicator 0x7a AllReduce=2"));
  job.still(in_device(1, "communicator 0x7a AllReduce=1 Broadcast=1"));
  EXPECT_EQ(only_job(job).verdict.confidence, Confidence::likely) << "by memory alone";
  told_by_ras(job, {launched(2), launched(2)});
  const Job judged = only_job(job);
  EXPECT_EQ(judged.verdict.pattern, "collective_mismatch");
  EXPECT_EQ(judged.verdict.confidence, Confidence::possible);
  EXPECT_THAT(judged.verdict.against, ::testing::Contains(HasSubstr("rank 1 has launched 1 Broadcast, 1 AllReduce on "
                                                                    "NCCL communicator 0x7a by memory, 2 AllReduce by "
                                                                    "RAS")));
}

TEST(RasVerdicts, WhereTheyAgreeNothingSpeaksAgainstIt) {
  JobBuilder job;
  job.still(in_device(0, "communicator 0x7a AllReduce=2"));
  job.still(in_device(1, "communicator 0x7a AllReduce=1 Broadcast=1"));
  told_by_ras(job, {launched(2), launched(1, 1)});
  EXPECT_EQ(only_job(job).verdict.confidence, Confidence::likely);
}

TEST(RasVerdicts, ARankOfAnotherHostIsNamedByItsNumberInTheCommunicator) {
  JobBuilder job;
  job.still(in_device(0)).still(in_device(1));
  RasRank far = launched(1);
  far.pid = 77;
  told_by_ras(job, {launched(2), launched(2), far});
  const std::string seen = observations(only_job(job));
  EXPECT_THAT(seen, HasSubstr(" | is behind in AllReduce on NCCL communicator 0x7a (3 ranks): ranks 0-1 launched 2, "
                              "rank 2 of the communicator launched 1 | ras\n"));
}

TEST(RasVerdicts, ARankThatDoesNotAnswerIsNamed) {
  JobBuilder job;
  job.still(in_device(0)).still(in_device(1));
  RasRank dead;
  dead.presence = RasPresence::dead;
  told_by_ras(job, {launched(2), dead});
  EXPECT_THAT(observations(only_job(job)),
              HasSubstr("1 | is dead to RAS, a rank of NCCL communicator 0x7a (2 ranks) | ras\n"));
}

TEST(RasVerdicts, EqualCountsSayNothing) {
  JobBuilder job;
  job.still(in_device(0)).still(in_device(1));
  told_by_ras(job, {launched(2), launched(2)});
  EXPECT_THAT(observations(only_job(job)), Not(HasSubstr("| ras")));
}

}  // namespace
}  // namespace hangstack::classifiers
