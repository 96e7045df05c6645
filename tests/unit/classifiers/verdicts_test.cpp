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
using ::testing::Contains;
using ::testing::HasSubstr;
using tests::in_all_reduce;
using tests::in_user_code;
using tests::JobBuilder;

TEST(Verdict, RankThatSleepsBeforeItsPeersCallIsTheStraggler) {
  JobBuilder job;
  job.still(in_all_reduce(0, 2)).still(in_user_code(1, 2, "asleep=12.5 syscall=clock_nanosleep", kSleep));
  const Job judged = only_job(job);
  EXPECT_EQ(judged.verdict.pattern, "host_straggler");
  EXPECT_EQ(judged.verdict.hung, Hung::yes);
  EXPECT_EQ(judged.verdict.confidence, Confidence::likely);
  EXPECT_EQ(judged.verdict.culprit_ranks, RankSet{1});
  EXPECT_EQ(judged.verdict.since_s, 12);
  EXPECT_EQ(judged.verdict.summary,
            "Rank 0 waits in all_reduce at sync_gradients train.py:20; rank 1 has not come there: it sleeps in "
            "time.sleep at train_step train.py:17, under main train.py:31.");
  EXPECT_EQ(judged.verdict.shape, "asleep outside all_reduce");
  const std::string seen = observations(judged);
  EXPECT_THAT(seen, HasSubstr("1 | sleeps in time.sleep at train_step train.py:17, under main train.py:31 | stacks"));
  EXPECT_THAT(seen, HasSubstr("0 | waits in all_reduce at sync_gradients train.py:20 | stacks"));
  EXPECT_THAT(seen, HasSubstr("0 | did not run for 12.0 s | kernel counters"));
  EXPECT_THAT(seen, HasSubstr("program order: train.py:17, before train.py:19 in train_step"));
}

TEST(Verdict, NoAgeAndAShortWatchIsNotCalledHung) {
  JobBuilder job;
  job.still(in_all_reduce(0, 2)).still(in_user_code(1, 2, "syscall=clock_nanosleep", kSleep));
  for (auto& process : job.snapshot.processes) {
    for (auto& sample : process.samples) {
      for (auto& thread : sample.threads) thread.clocks.asleep_s.reset();
    }
  }
  const Job judged = only_job(job);
  EXPECT_EQ(judged.verdict.pattern, "host_straggler");
  EXPECT_EQ(judged.verdict.hung, Hung::undecided);
  EXPECT_FALSE(judged.verdict.since_s.has_value());
}

TEST(Verdict, ALongWatchMakesUpForAMissingAge) {
  JobBuilder job;
  job.still(in_all_reduce(0, 2)).still(in_user_code(1, 2, "syscall=clock_nanosleep", kSleep));
  for (auto& process : job.snapshot.processes) {
    for (auto& sample : process.samples) {
      for (auto& thread : sample.threads) thread.clocks.asleep_s.reset();
    }
  }
  job.snapshot.gap_s = 30;
  const Job judged = only_job(job);
  EXPECT_EQ(judged.verdict.hung, Hung::yes);
  EXPECT_EQ(judged.verdict.since_s, 30);
}

/// A checkpoint of some seconds is no hang.
TEST(Verdict, SomeSecondsOfRestAreNoHangYet) {
  for (const auto& [asleep, hung] : {std::pair{9.0, Hung::undecided}, {10.5, Hung::yes}}) {
    JobBuilder job;
    job.still(in_all_reduce(0, 2, 20, asleep));
    job.still(in_user_code(1, 2, "asleep=100 syscall=clock_nanosleep", kSleep));
    const Job judged = only_job(job);
    EXPECT_EQ(judged.verdict.pattern, "host_straggler");
    EXPECT_EQ(judged.verdict.hung, hung);
    const auto too_young = Contains(HasSubstr("from 10 s on it is called hung"));
    if (hung == Hung::undecided) {
      EXPECT_THAT(judged.verdict.against, too_young);
    } else {
      EXPECT_THAT(judged.verdict.against, testing::Not(too_young));
    }
  }
}

TEST(Verdict, OneSampleIsNeverMoreThanPossible) {
  JobBuilder job;
  job.once(in_all_reduce(0, 2)).once(in_user_code(1, 2, "asleep=12.5 syscall=clock_nanosleep", kSleep));
  const Job judged = only_job(job);
  EXPECT_EQ(judged.verdict.pattern, "host_straggler");
  EXPECT_EQ(judged.verdict.confidence, Confidence::possible);
  EXPECT_THAT(judged.verdict.against, Contains(HasSubstr("one sample only")));
}

TEST(Verdict, OutsiderThatMovesFromPlaceToPlaceMeansNotHung) {
  JobBuilder job;
  job.still(in_all_reduce(0, 2, 20, 4))
      .moving(in_user_code(1, 2, "state=R switches=7", "  py tokenize data.py:3"),
              in_user_code(1, 2, "state=R switches=9", "  py write cache.py:8"));
  const Job judged = only_job(job);
  EXPECT_EQ(judged.verdict.pattern, "host_straggler");
  EXPECT_EQ(judged.verdict.hung, Hung::no);
  EXPECT_EQ(judged.verdict.culprit_ranks, RankSet{1});
}

TEST(Verdict, OutsiderThatCirclesInOneFunctionIsUndecided) {
  JobBuilder job;
  job.still(in_all_reduce(0, 2))
      .moving(in_user_code(1, 2, "state=R user=100", "  py spin data.py:3"),
              in_user_code(1, 2, "state=R user=300", "  py spin data.py:4"));
  const Job judged = only_job(job);
  EXPECT_EQ(judged.verdict.pattern, "host_straggler");
  EXPECT_EQ(judged.verdict.hung, Hung::undecided);
  EXPECT_THAT(judged.verdict.against, Contains(HasSubstr("loop that never ends")));
}

TEST(Verdict, OutsiderBeyondTheCallIsAsymmetricControlFlowAndOnlyPossible) {
  JobBuilder job;
  job.still(in_all_reduce(0, 2)).still(in_user_code(1, 2, "asleep=30 syscall=clock_nanosleep", kSleep, 25));
  const Job judged = only_job(job);
  EXPECT_EQ(judged.verdict.pattern, "asymmetric_control_flow");
  EXPECT_EQ(judged.verdict.confidence, Confidence::possible);
  EXPECT_EQ(judged.verdict.culprit_ranks, RankSet{1});
  ASSERT_FALSE(judged.alternatives.empty());
  EXPECT_EQ(judged.alternatives.front().pattern, "host_straggler");
}

TEST(Verdict, OutsiderBeyondTheCallThatMovesIsLateRatherThanAstray) {
  JobBuilder job;
  job.still(in_all_reduce(0, 2))
      .moving(in_user_code(1, 2, "state=R user=1", "  py save ckpt.py:3", 25),
              in_user_code(1, 2, "state=R user=9", "  py serialize ckpt.py:30", 25));
  EXPECT_EQ(only_job(job).verdict.pattern, "host_straggler");
}

TEST(Verdict, NothingReadSaysWhyInOneSentence) {
  JobBuilder job;
  job.failed(101, model::ErrorCode::zombie, {}, 'Z').failed(102, model::ErrorCode::zombie, {}, 'Z');
  EXPECT_THAT(only_job(job).verdict.summary, testing::StartsWith("None of the 2 processes could be read; the first: "));
}

TEST(Verdict, RanksAtOnePlaceDoNotRunApart) {
  JobBuilder job;
  job.still(in_user_code(0, 2, "syscall=clock_nanosleep", kSleep))
      .still(in_user_code(1, 2, "syscall=clock_nanosleep", kSleep));
  EXPECT_THAT(only_job(job).verdict.summary, testing::StartsWith("Ranks 0-1 are at one place: each sleeps"));
}

TEST(Verdict, RankThatLeftTheProgramIsAsymmetricAndLikely) {
  JobBuilder job;
  job.still(in_all_reduce(0, 2)).still(R"(
process rank=1 world=2
thread main asleep=30 syscall=futex
  __futex_abstimed_wait_common libc.so.6
  sem_wait libc.so.6
  py _shutdown lib/threading.py:1590
  Py_FinalizeEx libpython3.12.so.1.0
)");
  const Job judged = only_job(job);
  EXPECT_EQ(judged.verdict.pattern, "asymmetric_control_flow");
  EXPECT_EQ(judged.verdict.confidence, Confidence::likely);
  EXPECT_EQ(judged.verdict.shape, "has left the loop of operations");
}

TEST(Verdict, TheOneThatWaitsAloneIsTheOddOne) {
  JobBuilder job;
  job.still(in_all_reduce(0, 4));
  for (int rank = 1; rank < 4; ++rank) {
    job.still(in_user_code(rank, 4, "asleep=30 syscall=clock_nanosleep", kSleep, 25));
  }
  const Job judged = only_job(job);
  EXPECT_EQ(judged.verdict.pattern, "asymmetric_control_flow");
  EXPECT_EQ(judged.verdict.culprit_ranks, RankSet{0});
}

TEST(Verdict, AllInsideTheSameOperationIsUnknownThoughHung) {
  JobBuilder job;
  job.still(in_all_reduce(0, 2)).still(in_all_reduce(1, 2, 20, 14));
  const Job judged = only_job(job);
  EXPECT_EQ(judged.verdict.pattern, "unknown");
  EXPECT_EQ(judged.verdict.hung, Hung::yes);
  EXPECT_EQ(judged.verdict.since_s, 12);
  EXPECT_TRUE(judged.verdict.culprit_ranks.empty());
  EXPECT_EQ(judged.verdict.summary,
            "All ranks wait in all_reduce at sync_gradients train.py:20; stacks alone do not say for whom.");
}

TEST(Verdict, DifferentOperationsAreAsymmetricWithMismatchAsTheOtherReading) {
  JobBuilder job;
  job.still(in_all_reduce(0, 3)).still(in_all_reduce(1, 3)).still(R"(
process rank=2 world=3
thread main asleep=15 syscall=futex
  pthread_cond_wait libc.so.6
  c10d::Work::wait libtorch_cpu.so
  py barrier torch/distributed/distributed_c10d.py:5321
  py evaluate eval.py:12
  py main train.py:35
  py <module> train.py:40
)");
  const Job judged = only_job(job);
  EXPECT_EQ(judged.verdict.pattern, "asymmetric_control_flow");
  EXPECT_EQ(judged.verdict.shape, "different operations");
  EXPECT_EQ(judged.verdict.confidence, Confidence::possible);
  EXPECT_EQ(judged.verdict.culprit_ranks, RankSet{2});
  ASSERT_FALSE(judged.alternatives.empty());
  EXPECT_EQ(judged.alternatives.front().pattern, "collective_mismatch");
}

TEST(Verdict, PointToPointAgainstACollectiveIsNotGuessed) {
  JobBuilder job;
  job.still(in_all_reduce(0, 2)).still(R"(
process rank=1 world=2
thread main asleep=15 syscall=futex a3=1
  pthread_cond_clockwait libc.so.6
  gloo::transport::tcp::UnboundBuffer::waitRecv libtorch_cpu.so
  c10d::ProcessGroupGloo::RecvWork::wait libtorch_cpu.so
  py recv torch/distributed/distributed_c10d.py:2700
  py main train.py:35
)");
  const Job judged = only_job(job);
  EXPECT_EQ(judged.verdict.pattern, "unknown");
  EXPECT_EQ(judged.verdict.hung, Hung::yes);
}

TEST(Verdict, StoppedRankIsCertain) {
  JobBuilder job;
  job.still(in_all_reduce(0, 2)).still(in_user_code(1, 2, "state=T asleep=9", "  py compute model.py:5"));
  const Job judged = only_job(job);
  EXPECT_EQ(judged.verdict.pattern, "process_stopped");
  EXPECT_EQ(judged.verdict.hung, Hung::yes);
  EXPECT_EQ(judged.verdict.confidence, Confidence::certain);
  EXPECT_EQ(judged.verdict.culprit_ranks, RankSet{1});
  EXPECT_EQ(judged.verdict.next_steps.front().command, "kill -CONT 1001");
  EXPECT_EQ(judged.groups.front().state, "stopped");
}

TEST(Verdict, AStopThatCameAfterItsPeersHadWaitedLongIsNotCertainToBeTheCause) {
  JobBuilder job;
  job.still(in_all_reduce(0, 2, 20, 56)).still(in_user_code(1, 2, "state=T asleep=2", "  py compute model.py:5"));
  const Job judged = only_job(job);
  EXPECT_EQ(judged.verdict.pattern, "process_stopped");
  EXPECT_EQ(judged.verdict.confidence, Confidence::likely);
  EXPECT_THAT(judged.verdict.against, Contains(HasSubstr("rank 0 had waited 54.0 s already when it was stopped")));
}

TEST(Verdict, StoppedInsideTheOperationIsStillTheCauseIfNobodyElseIsMissing) {
  JobBuilder job;
  std::string stopped = in_all_reduce(1, 2);
  for (auto at = stopped.find("asleep"); at != std::string::npos; at = stopped.find("asleep", at + 20)) {
    stopped.insert(at, "state=T ");
  }
  job.still(in_all_reduce(0, 2)).still(stopped);
  const Job judged = only_job(job);
  EXPECT_EQ(judged.verdict.pattern, "process_stopped");
  EXPECT_EQ(judged.groups.front().title, "stopped in all_reduce");
}

TEST(Verdict, DebuggerOnARankThatWaitsLikeItsPeersIsNotBlamedForTheOneOutside) {
  JobBuilder job;
  std::string traced = in_all_reduce(1, 3);
  traced.replace(traced.find("world=3"), 7, "world=3 tracer=gdb");
  for (auto at = traced.find("asleep"); at != std::string::npos; at = traced.find("asleep", at + 20)) {
    traced.insert(at, "state=t ");
  }
  job.still(in_all_reduce(0, 3)).still(traced).still(in_user_code(2, 3, "asleep=40 syscall=clock_nanosleep", kSleep));
  const Job judged = only_job(job);
  EXPECT_EQ(judged.verdict.pattern, "host_straggler");
  EXPECT_EQ(judged.verdict.culprit_ranks, RankSet{2});
  ASSERT_FALSE(judged.alternatives.empty());
  EXPECT_THAT(judged.alternatives, Contains(::testing::Field(&model::Alternative::pattern, "process_stopped")));
}

TEST(Verdict, DebuggerIsNamed) {
  JobBuilder job;
  job.still(in_all_reduce(0, 2)).still(R"(
process rank=1 world=2 tracer=gdb state=t
thread main state=t
  py compute model.py:5
)");
  EXPECT_EQ(only_job(job).verdict.summary, "Rank 1 is held by gdb (pid 77); rank 0 waits in all_reduce.");
}

TEST(Verdict, RankThatAnotherHostMayHoldIsMissingAndNotDead) {
  JobBuilder job;
  job.still(in_all_reduce(0, 4)).still(in_all_reduce(1, 4));
  const Job judged = only_job(job);
  EXPECT_EQ(judged.verdict.pattern, "unknown");
  EXPECT_EQ(judged.missing_ranks.folded(), "2-3");
  EXPECT_TRUE(judged.verdict.culprit_ranks.empty());
  EXPECT_THAT(observations(judged), HasSubstr("2-3 | not among the 2 processes read here"));
}

TEST(Verdict, RankThatArrivedBetweenTheSamplesDoesNotHideTheOneOutside) {
  JobBuilder job;
  job.still(in_all_reduce(0, 4)).still(in_all_reduce(1, 4));
  job.moving(in_user_code(2, 4, "state=R", "  py forward model.py:5"), in_all_reduce(2, 4, 20, 1.5));
  job.still(in_user_code(3, 4, "asleep=40 syscall=clock_nanosleep", kSleep));
  const Job judged = only_job(job);
  EXPECT_EQ(judged.verdict.pattern, "host_straggler");
  EXPECT_EQ(judged.verdict.culprit_ranks, RankSet{3});
}

TEST(Verdict, AllAsleepAlikeIsNotDecided) {
  JobBuilder job;
  for (int rank = 0; rank < 2; ++rank) {
    job.still(in_user_code(rank, 2, "asleep=40 syscall=clock_nanosleep", kSleep));
  }
  const Job judged = only_job(job);
  EXPECT_EQ(judged.verdict.pattern, "unknown");
  EXPECT_EQ(judged.verdict.hung, Hung::undecided);
}

TEST(Verdict, DecisionLogHasALineForEveryRuleTried) {
  JobBuilder job;
  job.still(in_all_reduce(0, 2)).still(in_user_code(1, 2, "asleep=12.5 syscall=clock_nanosleep", kSleep));
  const Job judged = only_job(job);
  for (const auto* pattern : {"process_stopped: not fired", "rank_died: not fired", "not_hung: not fired",
                              "asymmetric_control_flow: not fired", "host_straggler: fired"}) {
    EXPECT_THAT(judged.decisions, Contains(HasSubstr(pattern)));
  }
}

}  // namespace
}  // namespace hangstack::classifiers
