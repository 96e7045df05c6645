#pragma once
// The reports whose text and JSON are kept in tests/golden/.

#include <ostream>
#include <string>
#include <vector>

#include "model/diagnosis.h"
#include "report/report.h"

namespace hangstack::tests {

struct Case {
  std::string name;  ///< of the files in tests/golden/
  model::Report report;
  bool json = true;  ///< a large report is kept as text only
  report::TextOptions options;

  friend void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }
};

model::Report hung_gloo_straggler();
model::Report stopped_rank();
model::Report dead_rank();
model::Report not_hung();
model::Report undecided();
model::Report single_native_process();
model::Report several_jobs();
model::Report many_ranks(int ranks, int hosts);
model::Report hostile_names();
model::Report failed_pids();
model::Report nothing_sampled();

std::vector<Case> all_cases();

}  // namespace hangstack::tests
