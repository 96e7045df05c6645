#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "classifiers/classify.h"
#include "tests/support/job_builder.h"

namespace hangstack::classifiers {
namespace {

using model::Job;
using model::TreeNode;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using tests::in_all_reduce;
using tests::in_user_code;
using tests::JobBuilder;

const char* const kSleep = "  clock_nanosleep libc.so.6\n  time_sleep libpython3.12.so.1.0";

std::string chain_text(const TreeNode& node) {
  std::string text;
  for (const auto& frame : node.chain) {
    text += (text.empty() ? "" : " > ") + frame.function.substr(0, frame.function.find('('));
  }
  return fmt::format("{} [{} | {}]", text, node.present.folded(), node.absent.folded());
}

TEST(Tree, SplitsWhereRanksSplitAndDropsPlumbing) {
  JobBuilder job;
  job.still(in_all_reduce(0, 3)).still(in_all_reduce(1, 3)).still(in_user_code(2, 3, "asleep=5", kSleep));
  const auto jobs = classify(job.snapshot);
  ASSERT_EQ(jobs.size(), 1U);
  ASSERT_EQ(jobs[0].tree.size(), 2U);
  EXPECT_EQ(chain_text(jobs[0].tree[0]), "<module> > main [0-2 | ]");
  ASSERT_EQ(jobs[0].tree[0].children.size(), 2U);
  EXPECT_EQ(chain_text(jobs[0].tree[0].children[0]), "train_step > clock_nanosleep [2 | 0-1]");
  EXPECT_EQ(chain_text(jobs[0].tree[0].children[1]),
            "train_step > sync_gradients > all_reduce > c10d::Work::wait > pthread_cond_wait@@GLIBC_2.3.2 [0-1 | 2]");
  EXPECT_THAT(chain_text(jobs[0].tree[1]), HasSubstr("gloo worker > c10d::ProcessGroupGloo::runLoop > "));
  EXPECT_EQ(jobs[0].tree[1].chain.front().kind, model::FrameKind::marker);
}

TEST(Groups, CulpritsFirstThenTheSmaller) {
  JobBuilder job;
  job.still(in_all_reduce(0, 3)).still(in_all_reduce(1, 3)).still(in_user_code(2, 3, "asleep=5", kSleep));
  const Job judged = classify(job.snapshot).front();
  ASSERT_EQ(judged.groups.size(), 2U);
  EXPECT_EQ(judged.groups[0].ranks.folded(), "2");
  EXPECT_EQ(judged.groups[0].state, "sleep");
  EXPECT_EQ(judged.groups[0].title, "time.sleep");
  EXPECT_EQ(judged.groups[0].frame, "train_step train.py:17");
  EXPECT_EQ(judged.groups[1].ranks.folded(), "0-1");
  EXPECT_EQ(judged.groups[1].since_s, 12);
  EXPECT_THAT(judged.groups[1].pids, ElementsAre(1000, 1001));
}

TEST(Jobs, AreKeptApartByTheirKey) {
  JobBuilder job;
  for (const char* key : {"a:1", "b:2"}) {
    for (int rank = 0; rank < 2; ++rank) {
      std::string text = in_all_reduce(rank, 2);
      text.replace(text.find("world=2"), 7, fmt::format("world=2 key={} pid={}", key, 100 * (key[0] - 'a' + 1) + rank));
      job.still(text);
    }
  }
  const auto jobs = classify(job.snapshot);
  ASSERT_EQ(jobs.size(), 2U);
  EXPECT_EQ(jobs[0].ranks.size(), 2U);
  EXPECT_EQ(jobs[1].ranks.size(), 2U);
  EXPECT_NE(jobs[0].job, jobs[1].job);
}

TEST(Jobs, WorkersAndLaunchersFollowTheRanksAndAreNoRanks) {
  JobBuilder job;
  job.still(in_all_reduce(0, 1));
  job.still("process pid=900 role=launcher parent=1\nthread main asleep=99\n poll libc.so.6\n");
  job.still("process pid=2000 role=dataloader rank=0 world=1 parent=1000\nthread main asleep=9\n poll libc.so.6\n");
  const auto jobs = classify(job.snapshot);
  ASSERT_EQ(jobs.size(), 1U);
  ASSERT_EQ(jobs[0].ranks.size(), 3U);
  EXPECT_EQ(jobs[0].ranks[0].role, model::Role::rank);
  EXPECT_EQ(jobs[0].ranks[1].role, model::Role::launcher);
  EXPECT_EQ(jobs[0].ranks[2].role, model::Role::dataloader_worker);
  EXPECT_EQ(jobs[0].groups.size(), 1U);
}

TEST(Jobs, AChildWithItsParentsRankIsAWorker) {
  JobBuilder job;
  job.still(in_all_reduce(0, 1));
  job.still("process pid=2000 rank=0 world=1 parent=1000\nthread main asleep=9\n poll libc.so.6\n py f data.py:3\n");
  const auto jobs = classify(job.snapshot);
  ASSERT_EQ(jobs.size(), 1U);
  EXPECT_EQ(jobs[0].groups.size(), 1U);
  EXPECT_THAT(jobs[0].verdict.observations, ::testing::Not(::testing::Contains(::testing::Field(
                                                &model::Observation::text, HasSubstr("say that they are rank")))));
}

TEST(Jobs, TwoProcessesOfOneRankAreReported) {
  JobBuilder job;
  std::string second = in_all_reduce(0, 1);
  second.replace(second.find("world=1"), 7, "world=1 pid=3000");
  job.still(in_all_reduce(0, 1)).still(second);
  const auto jobs = classify(job.snapshot);
  ASSERT_EQ(jobs.size(), 1U);
  EXPECT_THAT(jobs[0].verdict.observations,
              ::testing::Contains(::testing::Field(&model::Observation::text, HasSubstr("pids 1000, 3000"))));
  EXPECT_EQ(jobs[0].ranks.size(), 2U);
}

TEST(Jobs, RanksWithoutANumberAreCountedByPidAndSaySo) {
  JobBuilder job;
  for (int i = 0; i < 2; ++i) {
    std::string text = in_all_reduce(i, 2);
    const std::string head = fmt::format("rank={} world=2", i);
    text.replace(text.find(head), head.size(), fmt::format("pid={}", 50 - i));
    job.still(text);
  }
  const auto jobs = classify(job.snapshot);
  ASSERT_EQ(jobs.size(), 1U);
  EXPECT_EQ(jobs[0].ranks[0].pid, 49);
  EXPECT_EQ(jobs[0].ranks[0].rank, 0);
  EXPECT_THAT(jobs[0].verdict.observations,
              ::testing::Contains(::testing::Field(&model::Observation::text, HasSubstr("numbered here by pid"))));
}

TEST(Jobs, AProcessOfNobodyIsAJobOfItsOwnWithoutARank) {
  JobBuilder job;
  job.still("process pid=7\nthread main asleep=40 syscall=futex\n pthread_mutex_lock libc.so.6\n put(int) server\n");
  job.still("process pid=9\nthread main asleep=40 syscall=futex\n pthread_mutex_lock libc.so.6\n put(int) server\n");
  const auto jobs = classify(job.snapshot);
  ASSERT_EQ(jobs.size(), 2U);
  EXPECT_FALSE(jobs[0].ranks[0].rank.has_value());
  EXPECT_TRUE(jobs[0].groups[0].ranks.empty());
  EXPECT_EQ(jobs[0].verdict.pattern, "unknown");
  EXPECT_THAT(jobs[0].verdict.summary, HasSubstr("The process (pid 7) waits for a lock in pthread_mutex_lock at put"));
}

TEST(Jobs, FailedPidsAreRowsOfTheJob) {
  JobBuilder job;
  job.still(in_all_reduce(0, 2)).failed(1001, model::ErrorCode::no_permission, 1);
  const Job judged = classify(job.snapshot).front();
  ASSERT_EQ(judged.ranks.size(), 2U);
  EXPECT_EQ(judged.ranks[1].status, model::RankStatus::failed);
  EXPECT_TRUE(judged.missing_ranks.empty());
  EXPECT_EQ(judged.verdict.pattern, "unknown");
  EXPECT_FALSE(judged.verdict.against.empty());
}

TEST(Jobs, NothingAtAllGivesNoJob) {
  model::JobSnapshot nothing;
  EXPECT_TRUE(classify(nothing).empty());
  JobBuilder job;
  job.failed(5, model::ErrorCode::not_found);
  const auto jobs = classify(job.snapshot);
  ASSERT_EQ(jobs.size(), 1U);
  EXPECT_EQ(jobs[0].verdict.pattern, "unknown");
}

TEST(Scale, AThousandRanksFoldIntoTwoGroupsQuickly) {
  JobBuilder job;
  for (int rank = 0; rank < 999; ++rank) job.still(in_all_reduce(rank, 1000));
  job.still(in_user_code(999, 1000, "asleep=50", kSleep));
  const auto start = std::chrono::steady_clock::now();
  const auto jobs = classify(job.snapshot);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  ASSERT_EQ(jobs.size(), 1U);
  EXPECT_EQ(jobs[0].groups.size(), 2U);
  EXPECT_EQ(jobs[0].verdict.culprit_ranks.folded(), "999");
  EXPECT_EQ(jobs[0].groups[1].ranks.folded(), "0-998");
  std::cout << "classify of 1000 ranks: " << took.count() << " s\n";
}

TEST(Scale, AsManyPlacesAsRanksStaysBounded) {
  JobBuilder job;
  for (int rank = 0; rank < 600; ++rank) {
    job.still(in_user_code(rank, 600, "asleep=50", kSleep, rank + 1));
  }
  const auto jobs = classify(job.snapshot);
  ASSERT_EQ(jobs[0].tree.size(), 1U);
  EXPECT_LE(jobs[0].tree[0].children.size(), 30U);
  EXPECT_LE(jobs[0].verdict.observations.size(), 40U);
}

TEST(Robustness, ThousandsOfFramesAndOddOnes) {
  std::string deep = "process rank=0 world=1\nthread main asleep=5\n";
  for (int i = 0; i < 7000; ++i) deep += " py recurse deep.py:3\n";
  deep += "thread x\n ?? \n ( \n < \n py  :\n";
  JobBuilder job;
  job.still(deep);
  const auto jobs = classify(job.snapshot);
  ASSERT_EQ(jobs.size(), 1U);
  EXPECT_LE(jobs[0].tree[0].chain.size(), 520U);
}

TEST(Robustness, HistoriesWithoutSamplesAndHostileNumbers) {
  JobBuilder job;
  job.snapshot.processes.emplace_back();
  job.still("process rank=-3 world=2\nthread main\n");
  job.still("process rank=2000000000 world=2000000000\nenv LOCAL_WORLD_SIZE=99999999999999\nthread main\n");
  const auto jobs = classify(job.snapshot);
  ASSERT_EQ(jobs.size(), 1U);
  EXPECT_TRUE(jobs[0].verdict.pattern == "unknown");
}

}  // namespace
}  // namespace hangstack::classifiers
