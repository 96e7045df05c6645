#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/job_builder.h"
#include "tests/unit/classifiers/judged_job.h"

namespace hangstack::classifiers {
namespace {

using model::Hung;
using model::Job;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using tests::in_all_reduce;
using tests::in_user_code;
using tests::JobBuilder;

constexpr const char* kWaitsForChild =
    "  wait4 libc.so.6\n  py _try_wait lib/subprocess.py:9\n  py run lib/subprocess.py:5\n  py save train.py:30\n";

std::string waiting_for_child(const std::string& child) {
  return in_user_code(1, 2, "asleep=50 syscall=wait4", kWaitsForChild) + child + "\n";
}

TEST(Straggler, WhoseChildWorksIsNotCalledHung) {
  JobBuilder job;
  job.still(in_all_reduce(0, 2, 20, 50));
  job.moving(waiting_for_child("child 2371 gzip ticks=5"), waiting_for_child("child 2371 gzip ticks=105"));
  const Job judged = only_job(job);
  EXPECT_EQ(judged.verdict.pattern, "host_straggler");
  EXPECT_EQ(judged.verdict.hung, Hung::undecided);
  EXPECT_THAT(judged.verdict.against,
              Contains("its child process 2371 (gzip) uses a processor: what it waits for may still come"));
  EXPECT_THAT(observations(judged), HasSubstr("1 | its child process 2371 (gzip) uses a processor | /proc"));
}

TEST(Straggler, WhoseChildWorksIsNotCalledHungOnAnotherBranchEither) {
  const auto beyond = [](int ticks) {
    return in_user_code(1, 2, "asleep=50 syscall=wait4", kWaitsForChild, 22) +
           fmt::format("child 2371 gzip ticks={}\n", ticks);
  };
  JobBuilder job;
  job.still(in_all_reduce(0, 2, 20, 50)).moving(beyond(5), beyond(105));
  const Job judged = only_job(job);
  EXPECT_EQ(judged.verdict.pattern, "asymmetric_control_flow");
  EXPECT_EQ(judged.verdict.hung, Hung::undecided);
  EXPECT_THAT(judged.verdict.against,
              Contains("its child process 2371 (gzip) uses a processor: what it waits for may still come"));
}

TEST(Straggler, ASleepSpeaksAgainstItself) {
  JobBuilder job;
  job.still(in_all_reduce(0, 2, 20, 50)).still(in_user_code(1, 2, "asleep=50 syscall=clock_nanosleep", kSleep));
  const Job judged = only_job(job);
  EXPECT_EQ(judged.verdict.hung, Hung::yes);
  EXPECT_THAT(judged.verdict.against, Contains("a sleep ends by itself: it may still arrive"));
}

TEST(Straggler, ThatServesRequestsIsNotCalledHung) {
  JobBuilder job;
  job.still(in_all_reduce(0, 2, 20, 50));
  job.still(in_user_code(1, 2, "asleep=50 syscall=poll",
                         "  poll libc.so.6\n  py select lib/selectors.py:415\n"
                         "  py serve_forever lib/socketserver.py:235\n"));
  const Job judged = only_job(job);
  EXPECT_EQ(judged.verdict.pattern, "host_straggler");
  EXPECT_EQ(judged.verdict.hung, Hung::undecided);
  EXPECT_EQ(judged.verdict.confidence, model::Confidence::possible);
  EXPECT_THAT(judged.verdict.against, Contains(HasSubstr("an idle server")));
}

TEST(Straggler, ThatWaitsForTheLockOfABuildDoesNotCompile) {
  JobBuilder job;
  job.still(in_all_reduce(0, 2, 20, 50));
  const std::string frames =
      "  clock_nanosleep libc.so.6\n  py wait torch/utils/file_baton.py:49\n"
      "  py _jit_compile torch/utils/cpp_extension.py:1700\n  py load torch/utils/cpp_extension.py:1300\n";
  job.moving(in_user_code(1, 2, "asleep=0 switches=5 syscall=clock_nanosleep", frames),
             in_user_code(1, 2, "asleep=0 switches=15 syscall=clock_nanosleep", frames));
  const Job judged = only_job(job);
  EXPECT_EQ(judged.verdict.pattern, "stale_build_lock");
  EXPECT_NE(judged.verdict.hung, Hung::no);
  EXPECT_THAT(judged.verdict.summary, HasSubstr("a build lock (file_baton)"));
}

TEST(Straggler, ThatWaitsForTheLockOfARankThatBuildsIsNotCalledHung) {
  JobBuilder job;
  job.still(in_all_reduce(0, 3, 20, 50));
  job.still(in_user_code(1, 3, "asleep=50 syscall=futex",
                         "  futex libc.so.6\n  py acquire lib/filelock/_api.py:9\n"
                         "  py load torch/_inductor/codecache.py:30\n"));
  job.moving(in_user_code(2, 3, "state=R user=5", "  py codegen torch/_inductor/graph.py:5\n"),
             in_user_code(2, 3, "state=R user=205", "  py codegen torch/_inductor/graph.py:9\n"));
  const Job judged = only_job(job);
  EXPECT_EQ(judged.verdict.pattern, "host_straggler");
  EXPECT_NE(judged.verdict.hung, Hung::yes);
}

TEST(Straggler, AChildThatWakesNowAndThenIsNoWork) {
  for (const auto& [ticks, hung] : {std::pair{15, Hung::yes}, {500, Hung::undecided}}) {
    JobBuilder job;
    job.still(in_all_reduce(0, 2, 20, 50));
    std::string after = waiting_for_child(fmt::format("child 2371 wandb ticks={}", ticks));
    after.replace(after.find("process "), 8, "process at=60 ");
    job.moving(waiting_for_child("child 2371 wandb ticks=5"), after);
    EXPECT_EQ(only_job(job).verdict.hung, hung) << ticks << " ticks in a minute";
  }
}

TEST(Straggler, WhoseChildRestsTooIsHungAndTheChildIsNamed) {
  JobBuilder job;
  job.still(in_all_reduce(0, 2, 20, 50)).still(waiting_for_child("child 2371 rsync ticks=5"));
  const Job judged = only_job(job);
  EXPECT_EQ(judged.verdict.hung, Hung::yes);
  EXPECT_THAT(judged.verdict.against, IsEmpty());
  EXPECT_THAT(observations(judged), HasSubstr("1 | its child process 2371 (rsync) sleeps | /proc"));
  ASSERT_FALSE(judged.verdict.next_steps.empty());
  EXPECT_EQ(judged.verdict.next_steps.front().command, "hangstack --pids 1001 --children");
}

TEST(Straggler, ChildThatWasReadToldByItsStack) {
  JobBuilder job;
  job.still(in_all_reduce(0, 2, 20, 50)).still(waiting_for_child("child 2371 python ticks=5"));
  job.still(
      "process pid=2371 role=dataloader parent=1001\nthread main asleep=50 syscall=read\n  read libc.so.6\n"
      "  py fetch data.py:7\n");
  const Job judged = only_job(job);
  EXPECT_THAT(observations(judged), HasSubstr("its child process 2371 (python) waits for I/O in read"));
  EXPECT_THAT(observations(judged), HasSubstr("fetch data.py:7"));
  EXPECT_NE(judged.verdict.next_steps.front().command, "hangstack --pids 1001 --children") << "it was read already";
}

TEST(Straggler, ThatRunsWhileItsPeersHaveWaitedLongIsUndecided) {
  for (const auto& [asleep, hung] : {std::pair{100.0, Hung::undecided}, {2.0, Hung::no}}) {
    JobBuilder job;
    job.still(in_all_reduce(0, 2, 20, asleep));
    job.moving(in_user_code(1, 2, "state=R user=5", "  py retry model.py:5"),
               in_user_code(1, 2, "state=R user=205", "  py backoff model.py:50"));
    EXPECT_EQ(only_job(job).verdict.hung, hung);
  }
}

TEST(Straggler, ThatSleepsAgainAndAgainMayBeARetry) {
  JobBuilder job;
  job.still(in_all_reduce(0, 2, 20, 100));
  const std::string sleeps = "syscall=clock_nanosleep switches=";
  job.moving(in_user_code(1, 2, sleeps + "5 run=5", kSleep), in_user_code(1, 2, sleeps + "7 run=7", kSleep));
  const Job judged = only_job(job);
  EXPECT_EQ(judged.verdict.pattern, "host_straggler");
  EXPECT_THAT(judged.verdict.against, Contains(HasSubstr("a loop of retries may end by itself")));
}

TEST(Straggler, CalledHungIsNotCalledTooYoungToo) {
  JobBuilder job;
  job.still(in_all_reduce(0, 2, 20, 50)).still(in_user_code(1, 2, "asleep=3 syscall=clock_nanosleep", kSleep));
  const Job judged = only_job(job);
  EXPECT_EQ(judged.verdict.hung, Hung::yes) << "its peers have waited for it long enough";
  EXPECT_THAT(judged.verdict.against, Not(Contains(HasSubstr("it is called hung"))));
}

TEST(NextSteps, AlwaysNameTheProcessesTheyAreAbout) {
  JobBuilder job;
  job.still(in_all_reduce(0, 2));
  std::string other = in_all_reduce(1, 2);
  for (auto at = other.find("all_reduce"); at != std::string::npos; at = other.find("all_reduce", at + 10))
    other.replace(at, 10, "all_gather");
  job.still(other);
  for (const auto& step : only_job(job).verdict.next_steps) {
    EXPECT_EQ(step.command.find("--pids --"), std::string::npos) << step.command;
    if (step.command.starts_with("hangstack")) {
      EXPECT_THAT(step.command, HasSubstr("--pids 1000 1001"));
    }
  }
}

TEST(Unknown, CallsAtDifferentPlacesAreTold) {
  JobBuilder job;
  job.still(in_all_reduce(0, 2, 38)).still(in_all_reduce(1, 2, 39));
  const Job judged = only_job(job);
  EXPECT_THAT(judged.verdict.summary, HasSubstr("from different calls: rank 0 waits in all_reduce at sync_gradients "
                                                "train.py:38"));
  EXPECT_EQ(judged.verdict.confidence, model::Confidence::possible);
}

TEST(Unknown, AFrameWithoutANameIsNoPlace) {
  JobBuilder job;
  job.still("process rank=0 world=1\nthread main state=R\n  py ?? \n  py load train.py:7\n");
  job.snapshot.processes[0].samples[0].threads[0].frames[0].function.clear();
  job.snapshot.processes[0].samples[1].threads[0].frames[0].function.clear();
  EXPECT_THAT(only_job(job).verdict.summary, HasSubstr("load train.py:7"));
}

TEST(Unknown, IsNotCalledHungWhileARankWithoutAStackMayBeAtWork) {
  JobBuilder job;
  job.still(in_device_wait(0, 2)).still("process rank=1 world=2\nthread main state=S\n");
  const Job judged = only_job(job);
  EXPECT_EQ(judged.verdict.pattern, "unknown");
  EXPECT_EQ(judged.verdict.hung, Hung::undecided);
  EXPECT_THAT(judged.verdict.against, Contains(HasSubstr("rank 1: no stack could be read")));
}

}  // namespace
}  // namespace hangstack::classifiers
