#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/job_builder.h"
#include "tests/unit/classifiers/judged_job.h"

namespace hangstack::classifiers {
namespace {

using model::Job;
using model::RankSet;
using ::testing::HasSubstr;
using tests::in_all_reduce;
using tests::JobBuilder;

std::string recorded(const std::string& what, const std::string& from) {
  return fmt::format("recorded {} called=train.py:9 from={}\n", what, from);
}

TEST(ConcurrentGroupUse, TwoThreadsOfEachRankThatCameInOtherOrders) {
  JobBuilder job;
  job.still(in_all_reduce(0, 2) + recorded("all_reduce #2", "<module>") + recorded("all_gather #3", "thread:save"));
  job.still(in_all_reduce(1, 2) + recorded("all_gather #2", "thread:save") + recorded("all_reduce #3", "<module>"));
  const Job judged = only_job(job);
  EXPECT_EQ(judged.verdict.pattern, "concurrent_group_use");
  EXPECT_EQ(judged.verdict.culprit_ranks, (RankSet{0, 1}));
  EXPECT_THAT(observations(judged), HasSubstr("1 | unfinished of this group: #2 from thread save, #3 from <module>"));
}

TEST(ConcurrentGroupUse, IsNotSaidOfOneThreadInAnotherOrderNorOfThreadsInOneOrder) {
  JobBuilder one_thread;
  one_thread.still(in_all_reduce(0, 2) + recorded("all_reduce #2", "<module>") + recorded("all_gather #3", "<module>"));
  one_thread.still(in_all_reduce(1, 2) + recorded("all_gather #2", "<module>") + recorded("all_reduce #3", "<module>"));
  EXPECT_EQ(only_job(one_thread).verdict.pattern, "collective_mismatch");
  JobBuilder one_order;
  for (const int rank : {0, 1})
    one_order.still(in_all_reduce(rank, 2) + recorded("all_reduce #2", "<module>") +
                    recorded("all_gather #3", "thread:save"));
  EXPECT_EQ(only_job(one_order).verdict.pattern, "unknown");
}

TEST(ConcurrentGroupUse, AHookThatAutogradCallsIsNoThreadOfItsOwn) {
  JobBuilder job;
  job.still(in_all_reduce(0, 2) + recorded("all_reduce #2", "<module>") + recorded("all_gather #3", "post_backward"));
  job.still(in_all_reduce(1, 2) + recorded("all_gather #2", "post_backward") + recorded("all_reduce #3", "<module>"));
  EXPECT_EQ(only_job(job).verdict.pattern, "collective_mismatch");
}

TEST(ConcurrentGroupUse, IsNotSaidWhereTheCallersAreNotKnown) {
  JobBuilder job;
  job.still(in_all_reduce(0, 2) + "recorded all_reduce #2\nrecorded all_gather #3\n");
  job.still(in_all_reduce(1, 2) + "recorded all_gather #2\nrecorded all_reduce #3\n");
  EXPECT_EQ(only_job(job).verdict.pattern, "collective_mismatch");
}

}  // namespace
}  // namespace hangstack::classifiers
