#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/job_builder.h"
#include "tests/unit/classifiers/judged_job.h"

namespace hangstack::classifiers {
namespace {

using model::Confidence;
using model::Job;
using model::RankSet;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using tests::JobBuilder;

/// Rank `rank` of the job `key`, with `frames` and its side of the communicator that both jobs share.
std::string of_job(const std::string& key, int rank, const std::string& thread, int launched) {
  return fmt::format("process rank={} world=1 key={} pid={}\n{}communicator 0x7a ranks=2 Broadcast={}\n", rank, key,
                     key == "workers" ? 200 : 100, thread, launched);
}

std::string behind_broadcast() {
  return "thread main asleep=0 syscall=sched_yield\n  cudaDeviceSynchronize libcudart.so.12\n"
         "  py synchronize torch/cuda/__init__.py:1085\n  py send_weights train.py:56\n  py main train.py:83\n";
}

std::string in_a_request() {
  return "thread main asleep=40 syscall=clock_nanosleep\n  clock_nanosleep libc.so.6\n"
         "  py generate serve.py:12\n  py main serve.py:30\n";
}

Job job_named(const std::vector<Job>& jobs, const std::string& name) {
  for (const Job& job : jobs)
    if (job.job == name) return job;
  ADD_FAILURE() << "no job " << name;
  return {};
}

TEST(JoinedJobs, TheLateSideIsBlamedInItsOwnJobAndNamedInTheOther) {
  JobBuilder builder;
  builder.still(of_job("trainers", 0, behind_broadcast(), 2)).still(of_job("workers", 0, in_a_request(), 1));
  const std::vector<Job> jobs = classify(builder.snapshot);
  const Job waiting = job_named(jobs, "trainers");
  EXPECT_EQ(waiting.verdict.pattern, "host_straggler");
  EXPECT_EQ(waiting.verdict.confidence, Confidence::likely);
  EXPECT_TRUE(waiting.verdict.culprit_ranks.empty());
  EXPECT_THAT(waiting.verdict.summary,
              AllOf(HasSubstr("rank 0 of the job workers"), HasSubstr("generate serve.py:12")));
  const Job late = job_named(jobs, "workers");
  EXPECT_EQ(late.verdict.pattern, "host_straggler");
  EXPECT_EQ(late.verdict.culprit_ranks, RankSet{0});
  EXPECT_THAT(late.verdict.summary, HasSubstr("rank 0 of the job trainers"));
}

TEST(JoinedJobs, WithEqualLaunchesNobodyIsLate) {
  JobBuilder builder;
  builder.still(of_job("trainers", 0, behind_broadcast(), 2)).still(of_job("workers", 0, in_a_request(), 2));
  for (const Job& job : classify(builder.snapshot)) EXPECT_EQ(job.verdict.pattern, "unknown") << job.job;
}

TEST(JoinedJobs, ASideThatCountsNothingIsNotBehind) {
  JobBuilder builder;
  builder.still(of_job("trainers", 0, behind_broadcast(), 2)).still(of_job("workers", 0, in_a_request(), 0));
  for (const Job& job : classify(builder.snapshot)) EXPECT_EQ(job.verdict.pattern, "unknown") << job.job;
}

TEST(JoinedJobs, OneThatIsBehindAndWaitsItselfIsNotBlamed) {
  JobBuilder builder;
  builder.still(of_job("trainers", 0, behind_broadcast(), 2)).still(of_job("workers", 0, behind_broadcast(), 1));
  for (const Job& job : classify(builder.snapshot))
    EXPECT_THAT(job.verdict.culprit_ranks.ranks(), IsEmpty()) << job.job;
}

}  // namespace
}  // namespace hangstack::classifiers
