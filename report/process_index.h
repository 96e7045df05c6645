#pragma once
// From a row of a job to the process it is about, and back.

#include <cstdint>
#include <map>
#include <string>
#include <tuple>

#include "model/diagnosis.h"

namespace hangstack::report {

/// Borrows the report: it must outlive the index.
class ProcessIndex {
 public:
  explicit ProcessIndex(const model::Report& report);

  /// The last sample; null if the process gave none.
  [[nodiscard]] const model::ProcessSnapshot* process(const model::RankRow& row) const;
  /// The job that lists the process; null if none does.
  [[nodiscard]] const model::Job* job_of(const model::ProcessSnapshot& process) const;

 private:
  using Key = std::tuple<std::string, std::int32_t, std::string>;  ///< host, pid, dump
  std::map<Key, const model::ProcessSnapshot*> processes_;
  std::map<Key, const model::Job*> jobs_;
};

/// The thread that stands for its process: the blocking one, else the main thread, else the first; null if the
/// process has none.
const model::Thread* leading_thread(const model::ProcessSnapshot& process);

}  // namespace hangstack::report
