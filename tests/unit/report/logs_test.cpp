#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "report/report.h"

namespace hangstack::report {
namespace {

using model::LogEvent;
using model::LogKind;
using testing::HasSubstr;
using testing::Not;

LogEvent event(int rank, LogKind kind, std::string text, std::size_t line) {
  LogEvent made;
  made.rank = rank;
  made.kind = kind;
  made.text = std::move(text);
  made.file = "logs/train.log";
  made.line = line;
  return made;
}

model::Report with(std::vector<LogEvent> logs) {
  model::Report report;
  report.jobs.emplace_back().logs = std::move(logs);
  return report;
}

TEST(LogsSection, TheFirstFailureAndTheLastLineOfEachRankFolded) {
  LogEvent died = event(1, LogKind::exception, "KeyError: \x1b[7m", 3);
  died.time = "11-30 23:13:23";
  const std::string text = write_text(with({event(0, LogKind::group_status, "has begun", 1), died,
                                            event(0, LogKind::watchdog_timeout, "ALLREDUCE #2 timed out after 8 s", 5),
                                            event(2, LogKind::watchdog_timeout, "ALLREDUCE #2 timed out after 9 s", 6),
                                            event(2, LogKind::group_status, "has begun", 7)}),
                                      {});
  EXPECT_THAT(text, HasSubstr("logs: the first failure: rank 1 at 11-30 23:13:23, KeyError:"));
  EXPECT_THAT(text, HasSubstr("  ranks 0,2         ALLREDUCE #2 timed out after 8 s (train.log:5, and likewise)\n"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b"))) << "a terminal obeys such bytes";
}

TEST(LogsSection, WhomTheLauncherCallsFirstIsFirst) {
  LogEvent observed = event(1, LogKind::exited, "Signal 9", 9);
  observed.first_observed = true;
  const std::string text = write_text(
      with({event(0, LogKind::exception, "KeyError: 7", 1), event(1, LogKind::cuda_error, "CUDA error", 2), observed}),
      {});
  EXPECT_THAT(text, HasSubstr("the first failure: rank 1, CUDA error (train.log:2)"));
}

TEST(LogsSection, WithoutLogsThereIsNone) { EXPECT_THAT(write_text(with({}), {}), Not(HasSubstr("logs:"))); }

TEST(LogsJson, AnItemForEachEvent) {
  LogEvent timeout = event(0, LogKind::watchdog_timeout, "ALLREDUCE #2 timed out", 5);
  timeout.sequence = 2;
  timeout.operation = "ALLREDUCE";
  const std::string json = write_json(with({timeout}));
  EXPECT_THAT(json, HasSubstr(R"("logs": {)"));
  EXPECT_THAT(
      json, HasSubstr(R"("kind": "watchdog_timeout", "text": "ALLREDUCE #2 timed out", "seq": 2, "op": "ALLREDUCE")"));
  EXPECT_THAT(write_json(with({})), HasSubstr("no log was given"));
}

}  // namespace
}  // namespace hangstack::report
