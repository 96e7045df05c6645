// Jobs of which logs tell.

#include "classifiers/evidence/logged.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/job_builder.h"
#include "tests/unit/classifiers/judged_job.h"

namespace hangstack::classifiers {
namespace {

using model::Confidence;
using model::Job;
using model::LogEvent;
using model::LogKind;
using model::RankSet;
using ::testing::HasSubstr;
using ::testing::Not;
using tests::JobBuilder;

/// Known by its log alone.
std::string by_log(int rank, int world = 3) {
  return fmt::format("process rank={} world={} dump=rank{}.log at=1000 parent=0\n", rank, world, rank);
}

LogEvent event(int rank, LogKind kind, std::string text, std::int64_t time_ns = 0) {
  LogEvent made;
  made.rank = rank;
  made.kind = kind;
  made.text = std::move(text);
  made.file = fmt::format("logs/rank{}.log", rank);
  made.line = 7;
  made.time_ns = time_ns;
  return made;
}

LogEvent timeout(int rank, std::int64_t time_ns = 9) {
  return event(rank, LogKind::watchdog_timeout, "ALLREDUCE #2 timed out after 8 s", time_ns);
}

LogEvent init(int rank, LogKind kind) {
  LogEvent made = event(rank, kind, "communicator");
  made.communicator = 0x99;
  made.communicator_rank = rank;
  made.communicator_ranks = 3;
  return made;
}

TEST(Logged, ARankThatEndedByItselfWhileOthersGaveUpIsTheCause) {
  JobBuilder job;
  for (const int rank : {0, 1, 2}) job.once(by_log(rank));
  job.snapshot.logs = {event(1, LogKind::exception, "KeyError: 7", 1), timeout(0), timeout(2)};
  const Job judged = only_job(job);
  EXPECT_EQ(judged.verdict.pattern, "rank_died");
  EXPECT_EQ(judged.verdict.culprit_ranks, RankSet{1});
  EXPECT_EQ(judged.verdict.confidence, Confidence::possible);
  ASSERT_TRUE(judged.verdict.first_cause.has_value());
  EXPECT_EQ(judged.verdict.first_cause->summary, "rank 1: KeyError: 7 (rank1.log:7)");
  EXPECT_THAT(observations(judged), HasSubstr("0,2 | ALLREDUCE #2 timed out after 8 s | logs"));
  EXPECT_EQ(judged.verdict.summary, "Rank 1 has ended; ranks 0,2 waited in vain.");
  for (const auto& step : judged.verdict.next_steps) EXPECT_NE(step.command, "hangstack");
}

TEST(Logged, AnEndThatNobodyWasSeenToWaitForIsToldAllTheSame) {
  JobBuilder job;
  for (const int rank : {0, 1, 2}) job.once(by_log(rank));
  job.snapshot.logs = {event(1, LogKind::xid, "NVRM: Xid 79", 1)};
  const Job judged = only_job(job);
  EXPECT_EQ(judged.verdict.pattern, "unknown");
  EXPECT_THAT(judged.verdict.summary, HasSubstr("Rank 1: NVRM: Xid 79 (rank1.log:7); nothing in the files says"));
}

TEST(Logged, WhatFollowsATimeoutOrAPeersEndIsNoCause) {
  JobBuilder job;
  for (const int rank : {0, 1, 2}) job.once(by_log(rank));
  LogEvent killed = event(2, LogKind::exited, "Signal 15 (SIGTERM) received by PID 7");
  killed.exit_code = -15;
  job.snapshot.logs = {timeout(0), event(0, LogKind::exception, "RuntimeError: no", 10),
                       event(1, LogKind::exception, "torch.distributed.DistBackendError: NCCL error"), killed};
  const Job judged = only_job(job);
  EXPECT_NE(judged.verdict.pattern, "rank_died");
  EXPECT_FALSE(judged.verdict.first_cause.has_value());
}

TEST(Logged, TheSameEndOfAllRanksIsNobodysCause) {
  JobBuilder job;
  for (const int rank : {0, 1, 2}) job.once(by_log(rank));
  job.snapshot.logs = {event(0, LogKind::exception, "KeyError: 7"), event(1, LogKind::exception, "KeyError: 7"),
                       event(2, LogKind::exception, "KeyError: 7")};
  const Job judged = only_job(job);
  EXPECT_NE(judged.verdict.pattern, "rank_died");
  EXPECT_FALSE(judged.verdict.first_cause.has_value());
}

TEST(Logged, ARankWhoseStackIsThereHasNotEnded) {
  JobBuilder job;
  for (const int rank : {0, 1}) job.once(in_device_wait(rank, 2));
  job.snapshot.logs = {event(1, LogKind::exception, "KeyError: 7 in a thread")};
  EXPECT_NE(only_job(job).verdict.pattern, "rank_died");
}

TEST(Logged, TheFirstOfTheLauncherComesBeforeThatOfTheClocks) {
  JobBuilder job;
  for (const int rank : {0, 1, 2}) job.once(by_log(rank));
  LogEvent named = event(2, LogKind::exited, "Signal 9 (SIGKILL) received by PID 7", 5);
  named.exit_code = -9;
  named.first_observed = true;
  job.snapshot.logs = {event(1, LogKind::exception, "KeyError: 7", 1), named, timeout(0)};
  EXPECT_EQ(only_job(job).verdict.first_cause->ranks, RankSet{2});
}

TEST(Logged, OperationsAtOneNumberThatDifferAreAMismatchByLogs) {
  JobBuilder job;
  job.once(by_log(0, 2) + "recorded all_reduce #5 age=60 backend=nccl");
  job.once(by_log(1, 2) + "recorded broadcast #5 age=60 backend=nccl");
  for (auto& process : job.snapshot.processes) process.samples[0].flight_recorders[0].place = model::kPlaceOfLog;
  const Job judged = only_job(job);
  EXPECT_EQ(judged.verdict.pattern, "collective_mismatch");
  EXPECT_EQ(judged.verdict.confidence, Confidence::possible);
  EXPECT_THAT(observations(judged), HasSubstr("| logs"));
  EXPECT_THAT(observations(judged), Not(HasSubstr("flight recorder")));
}

TEST(Logged, ACommunicatorThatARankNeverBegan) {
  JobBuilder job;
  for (const int rank : {0, 2}) job.once(by_log(rank));
  job.snapshot.logs = {init(0, LogKind::init_start), init(2, LogKind::init_start)};
  const Job judged = only_job(job);
  EXPECT_EQ(judged.verdict.pattern, "init_bootstrap");
  EXPECT_EQ(judged.verdict.culprit_ranks, RankSet{1});
  EXPECT_EQ(judged.verdict.confidence, Confidence::possible);
  EXPECT_THAT(judged.verdict.summary, HasSubstr("rank 1 never began it, none made it"));
}

TEST(Logged, ACommunicatorThatAllMadeIsNoInit) {
  JobBuilder job;
  for (const int rank : {0, 1, 2}) {
    job.once(by_log(rank));
    job.snapshot.logs.push_back(init(rank, LogKind::init_start));
    job.snapshot.logs.push_back(init(rank, LogKind::init_complete));
  }
  EXPECT_EQ(only_job(job).verdict.pattern, "unknown");
}

model::CallLog calls(int rank, const std::vector<std::string>& operations) {
  model::CallLog log{rank, fmt::format("calls{}.jsonl", rank), "dp", {}};
  for (const std::string& operation : operations)
    log.calls.push_back({log.calls.size() + 1, operation, "[8]", "a.py:7", log.calls.size() + 1});
  return log;
}

Job with_calls(std::vector<model::CallLog> logs) {
  JobBuilder job;
  for (const auto& log : logs) job.once(by_log(log.rank, static_cast<int>(logs.size())));
  job.snapshot.call_logs = std::move(logs);
  return only_job(job);
}

TEST(CallLogsJudged, TheFirstDifferenceIsAMismatchOfTheFewer) {
  const Job judged =
      with_calls({calls(0, {"all_reduce", "all_reduce", "barrier"}), calls(1, {"all_reduce", "broadcast", "barrier"}),
                  calls(2, {"all_reduce", "all_reduce", "all_reduce"})});
  EXPECT_EQ(judged.verdict.pattern, "collective_mismatch");
  EXPECT_EQ(judged.verdict.culprit_ranks, RankSet{1});
  EXPECT_EQ(judged.verdict.confidence, Confidence::possible);
  EXPECT_THAT(observations(judged), HasSubstr("1 | called broadcast #2, [8], at a.py:7 | sequence logs"));
  EXPECT_THAT(observations(judged), HasSubstr("0-2 | the call before it: all_reduce #1"));
}

TEST(CallLogsJudged, OtherSizesDifferExceptWhereTheyMay) {
  auto other = calls(1, {"all_reduce"});
  other.calls[0].arguments = "[9]";
  EXPECT_EQ(with_calls({calls(0, {"all_reduce"}), other}).verdict.pattern, "collective_mismatch");
  auto gathered = calls(1, {"all_gather"});
  gathered.calls[0].arguments = "[9]";
  EXPECT_EQ(with_calls({calls(0, {"all_gather"}), gathered}).verdict.pattern, "unknown");
}

TEST(CallLogsJudged, ARankWhoseLogEndsBeforeThatOfItsPeersIsApart) {
  const Job judged = with_calls({calls(0, {"all_reduce", "barrier"}), calls(1, {"all_reduce"})});
  EXPECT_EQ(judged.verdict.pattern, "asymmetric_control_flow");
  EXPECT_EQ(judged.verdict.culprit_ranks, RankSet{1});
  EXPECT_EQ(judged.verdict.confidence, Confidence::possible);
}

TEST(CallLogsJudged, LogsThatBeginAtDifferentNumbersAreComparedFromWhereAllAre) {
  auto late = calls(1, {"barrier", "barrier", "all_reduce"});
  late.calls.erase(late.calls.begin(), late.calls.begin() + 2);
  EXPECT_EQ(with_calls({calls(0, {"all_reduce", "all_reduce", "all_reduce"}), late}).verdict.pattern, "unknown");
}

}  // namespace
}  // namespace hangstack::classifiers
