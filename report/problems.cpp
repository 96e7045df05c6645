#include "report/problems.h"

#include <set>
#include <string>
#include <utility>

namespace hangstack::report {
namespace {

class Collector {
 public:
  void add(const model::Problem& problem) {
    if (seen_.emplace(problem.error.code, problem.error.message).second) found_.push_back(problem);
  }
  void add(std::string scope, std::string subject, const model::Error& error) {
    add({std::move(scope), std::move(subject), error});
  }
  std::vector<model::Problem> take() { return std::move(found_); }

 private:
  // By code and message: a row, a process and the run may each tell of the same failure.
  std::set<std::pair<model::ErrorCode, std::string>> seen_;
  std::vector<model::Problem> found_;
};

}  // namespace

std::vector<model::Problem> all_problems(const model::Report& report) {
  Collector collector;
  for (const auto& problem : report.errors) collector.add(problem);
  for (const auto& job : report.jobs) {
    for (const auto& row : job.ranks) {
      if (row.error) collector.add("pid", std::to_string(row.pid), *row.error);
    }
  }
  for (const auto& history : report.processes) {
    if (history.samples.empty()) continue;
    for (const auto& problem : history.last().problems) collector.add(problem);
    for (const auto& thread : history.last().threads) {
      for (const auto& error : thread.problems) collector.add("thread", std::to_string(thread.tid), error);
    }
  }
  return collector.take();
}

}  // namespace hangstack::report
