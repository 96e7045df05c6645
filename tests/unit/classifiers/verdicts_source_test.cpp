#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

/// Line 17 returns from its branch; line 19 calls; line 31 stands in a loop; line 33 comes after it.
std::string source_with(const char* line17) {
  std::string text(15, '\n');
  return text + "def train_step(step):\n" + line17 + "\n    step += 1\n    sync_gradients(step)\n" +
         "def sync_gradients(s):\n    all_reduce(s)\n    log(s)\n\n    pass\n    done()\n\n\n\ndef main():\n" +
         "    for step in range(9):\n        train_step(step)\n\n    save_model()\n";
}

TEST(VerdictWithSource, SourceThatReturnsBeforeTheCallIsABranch) {
  JobBuilder job;
  job.still(in_all_reduce(0, 2)).still(in_user_code(1, 2, "asleep=30 syscall=clock_nanosleep", kSleep));
  job.snapshot.sources["/job/train.py"] = source_with("    if bad(step): return log(step)");
  EXPECT_EQ(only_job(job).verdict.pattern, "host_straggler");  // the statement is an `if`: it may go on
  job.snapshot.sources["/job/train.py"] = source_with("    return log(step)");
  const Job judged = only_job(job);
  EXPECT_EQ(judged.verdict.pattern, "asymmetric_control_flow");
  EXPECT_EQ(judged.verdict.culprit_ranks, RankSet{1});
  EXPECT_THAT(observations(judged), HasSubstr("from where the source does not come to train.py:19"));
}

TEST(VerdictWithSource, SourceWithALoopAroundMeansAnIterationBehind) {
  JobBuilder job;
  std::string behind = in_all_reduce(0, 2, 21);
  job.still(behind).still(R"(
process rank=1 world=2
thread main asleep=30 syscall=clock_nanosleep
  clock_nanosleep libc.so.6
  py sync_gradients train.py:22
  py train_step train.py:19
  py main train.py:31
  py <module> train.py:40
)");
  EXPECT_EQ(only_job(job).verdict.pattern, "asymmetric_control_flow");
  job.snapshot.sources["/job/train.py"] = source_with("    step = 2");
  const Job judged = only_job(job);
  EXPECT_EQ(judged.verdict.pattern, "host_straggler");
  EXPECT_THAT(observations(judged), HasSubstr("called in a loop, after train.py:21"));
}

TEST(VerdictWithSource, ALoopOfOneLineIsNoBranch) {
  JobBuilder job;
  job.still(in_all_reduce(0, 2, 19)).still(R"(
process rank=1 world=2
thread main asleep=30 syscall=clock_nanosleep
  clock_nanosleep libc.so.6
  py __next__ torch/utils/data/dataloader.py:700
  py train_step train.py:19
  py main train.py:31
  py <module> train.py:40
)");
  EXPECT_EQ(only_job(job).verdict.pattern, "asymmetric_control_flow") << "without the source";
  std::string source = source_with("    step = 2");
  const std::string line = "    sync_gradients(step)\n";
  source.replace(source.find(line), line.size(), "    for batch in loader: sync_gradients(step)\n");
  job.snapshot.sources["/job/train.py"] = source;
  const Job judged = only_job(job);
  EXPECT_EQ(judged.verdict.pattern, "dataloader_stall");
  EXPECT_THAT(observations(judged), HasSubstr("train.py:19 is a loop of one line"));
}

TEST(VerdictWithSource, SourceWithoutALoopMeansPastForGood) {
  JobBuilder job;
  job.still(in_all_reduce(0, 2)).still(R"(
process rank=1 world=2
thread main asleep=30 syscall=clock_nanosleep
  clock_nanosleep libc.so.6
  py save_model ckpt.py:4
  py main train.py:33
  py <module> train.py:40
)");
  job.snapshot.sources["/job/train.py"] = source_with("    step = 2");
  const Job judged = only_job(job);
  EXPECT_EQ(judged.verdict.pattern, "asymmetric_control_flow");
  EXPECT_EQ(judged.verdict.confidence, Confidence::likely);
}

}  // namespace
}  // namespace hangstack::classifiers
