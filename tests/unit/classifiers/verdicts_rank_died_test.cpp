#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/job_builder.h"
#include "tests/unit/classifiers/judged_job.h"

namespace hangstack::classifiers {
namespace {

using model::Confidence;
using model::Job;
using model::RankSet;
using ::testing::HasSubstr;
using tests::in_all_reduce;
using tests::in_user_code;
using tests::JobBuilder;

TEST(Verdict, AZombieWithoutAnEnvironmentIsTheOneMissingRank) {
  JobBuilder job;
  job.still(in_all_reduce(0, 3)).still(in_all_reduce(1, 3)).failed(1002, model::ErrorCode::zombie, {}, 'Z');
  const Job judged = only_job(job);
  EXPECT_EQ(judged.verdict.pattern, "rank_died");
  EXPECT_EQ(judged.verdict.confidence, Confidence::likely);
  EXPECT_EQ(judged.verdict.culprit_ranks, RankSet{2});
}

TEST(Verdict, AZombieAmongRanksThatAreCountedByPidIsAnotherReading) {
  const auto counted = [](int pid) {
    const std::string text = in_all_reduce(0, 2);
    return fmt::format("process pid={} parent=99{}", pid, text.substr(text.find('\n', 1)));
  };
  JobBuilder job;
  job.still(counted(100)).still(counted(103)).failed(101, model::ErrorCode::zombie, {}, 'Z');
  const Job judged = only_job(job);
  EXPECT_EQ(judged.verdict.pattern, "unknown");
  const auto read = std::ranges::find(judged.alternatives, "rank_died", &model::Alternative::pattern);
  ASSERT_NE(read, judged.alternatives.end());
  EXPECT_EQ(read->why_not, "pid 101 has ended: if it was a rank, its peers wait for it");
}

TEST(Verdict, AZombieThatIsNoRankIsNoneThatDied) {
  JobBuilder job;
  job.still(in_all_reduce(0, 3)).still(in_all_reduce(1, 3)).failed(1002, model::ErrorCode::zombie, {}, 'Z');
  job.snapshot.failed.front().identity.role = model::Role::helper;
  EXPECT_NE(only_job(job).verdict.pattern, "rank_died");
}

TEST(Verdict, ARankThatEndedBetweenTheSamplesIsDead) {
  JobBuilder job;
  job.still(in_all_reduce(0, 2)).once(in_user_code(1, 2, "state=R", "  py compute model.py:5"));
  job.snapshot.processes[1].samples[0].problems.push_back({"pid", "1001", {model::ErrorCode::vanished, "gone", ""}});
  const Job judged = only_job(job);
  EXPECT_EQ(judged.verdict.pattern, "rank_died");
  EXPECT_EQ(judged.verdict.culprit_ranks, RankSet{1});
}

TEST(Verdict, ZombieRankIsCertain) {
  JobBuilder job;
  job.still(in_all_reduce(0, 2)).failed(1001, model::ErrorCode::zombie, 1, 'Z');
  const Job judged = only_job(job);
  EXPECT_EQ(judged.verdict.pattern, "rank_died");
  EXPECT_EQ(judged.verdict.confidence, Confidence::certain);
  EXPECT_EQ(judged.verdict.culprit_ranks, RankSet{1});
  EXPECT_TRUE(judged.missing_ranks.empty());
}

TEST(Verdict, RankThatRunsHereAndWasNotAskedForHasNotDied) {
  JobBuilder job;
  for (int rank = 0; rank < 2; ++rank) {
    std::string text = in_all_reduce(rank, 4);
    text.replace(text.find("world=4"), 7, fmt::format("world=4 local={}\nenv LOCAL_WORLD_SIZE=4", rank));
    job.still(text);
  }
  job.snapshot.left_out = {{"gpu07", 1002, 2, "gpu07:29500"}, {"gpu07", 1003, 3, "gpu07:29500"}};
  const Job judged = only_job(job);
  EXPECT_EQ(judged.verdict.pattern, "unknown");
  EXPECT_EQ(judged.missing_ranks.folded(), "2-3");
  EXPECT_THAT(observations(judged), HasSubstr("2-3 | run here too, but were not among the pids given: not looked at"));
  ASSERT_FALSE(judged.verdict.next_steps.empty());
  EXPECT_EQ(judged.verdict.next_steps.front().command, "hangstack --pids 1000 1001 1002 1003");
  for (const auto& alternative : judged.alternatives) EXPECT_NE(alternative.pattern, "rank_died");
}

TEST(Verdict, OnlyTheRankThatIsNowhereMayHaveDied) {
  JobBuilder job;
  std::string rank0 = in_all_reduce(0, 3);
  rank0.replace(rank0.find("world=3"), 7, "world=3 local=0\nenv LOCAL_WORLD_SIZE=3");
  job.still(rank0);
  job.snapshot.left_out = {{"gpu07", 1001, 1, "gpu07:29500"}, {"gpu07", 4001, 2, "another:29500"}};
  const Job judged = only_job(job);
  EXPECT_EQ(judged.verdict.pattern, "rank_died");
  EXPECT_EQ(judged.verdict.culprit_ranks, RankSet{2});
}

TEST(Verdict, RankThatTheEnvironmentPlacesHereMayHaveDied) {
  JobBuilder job;
  std::string rank0 = in_all_reduce(0, 4);
  rank0.replace(rank0.find("world=4"), 7, "world=4 local=0\nenv LOCAL_WORLD_SIZE=2");
  job.still(rank0);
  const Job judged = only_job(job);
  EXPECT_EQ(judged.verdict.pattern, "rank_died");
  EXPECT_EQ(judged.verdict.confidence, Confidence::possible);
  EXPECT_EQ(judged.verdict.culprit_ranks, RankSet{1});
  EXPECT_EQ(judged.missing_ranks.folded(), "1-3");
}

}  // namespace
}  // namespace hangstack::classifiers
