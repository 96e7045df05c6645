#include "report/process_index.h"

#include <algorithm>

namespace hangstack::report {

ProcessIndex::ProcessIndex(const model::Report& report) {
  for (const auto& history : report.processes) {
    if (history.samples.empty()) continue;
    processes_.emplace(Key{history.last().host, history.last().pid}, &history.last());
  }
  for (const auto& job : report.jobs) {
    for (const auto& row : job.ranks) jobs_.emplace(Key{row.host, row.pid}, &job);
  }
}

const model::ProcessSnapshot* ProcessIndex::process(const std::string& host, std::int32_t pid) const {
  const auto it = processes_.find({host, pid});
  return it == processes_.end() ? nullptr : it->second;
}

const model::Job* ProcessIndex::job_of(const std::string& host, std::int32_t pid) const {
  const auto it = jobs_.find({host, pid});
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
