#include "report/process_index.h"

#include <algorithm>

namespace hangstack::report {
namespace {

auto key_of(const auto& place) { return std::tuple(place.host, place.pid, place.dump); }

}  // namespace

ProcessIndex::ProcessIndex(const model::Report& report) {
  for (const auto& history : report.processes) {
    if (history.samples.empty()) continue;
    processes_.emplace(key_of(history.last()), &history.last());
  }
  for (const auto& job : report.jobs) {
    for (const auto& row : job.ranks) jobs_.emplace(key_of(row), &job);
  }
}

const model::ProcessSnapshot* ProcessIndex::process(const model::RankRow& row) const {
  const auto it = processes_.find(key_of(row));
  return it == processes_.end() ? nullptr : it->second;
}

const model::Job* ProcessIndex::job_of(const model::ProcessSnapshot& process) const {
  const auto it = jobs_.find(key_of(process));
  return it == jobs_.end() ? nullptr : it->second;
}

const model::Thread* leading_thread(const model::ProcessSnapshot& process) {
  const auto& threads = process.threads;
  if (threads.empty()) return nullptr;
  auto it = std::find_if(threads.begin(), threads.end(), [](const auto& t) { return t.blocking; });
  if (it == threads.end()) {
    it = std::find_if(threads.begin(), threads.end(), [&](const auto& t) { return t.tid == process.pid; });
  }
  return it == threads.end() ? &threads.front() : &*it;
}

}  // namespace hangstack::report
