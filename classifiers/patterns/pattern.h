#pragma once
// One rule per pattern: from facts to a verdict, or to the reason why not.

#include <optional>
#include <string>
#include <vector>

#include "classifiers/fold/facts.h"
#include "model/diagnosis.h"

namespace hangstack::classifiers {

struct Ruling {
  std::optional<model::Verdict> verdict;         ///< the rule fires
  std::vector<model::Alternative> alternatives;  ///< what else the same facts allow; or this pattern, weakened
  std::string because;                           ///< what it fired on, or what was missing
};

struct Rule {
  const char* pattern;
  Ruling (*judge)(const JobFacts&);
};

/// Each is documented in docs/verdicts.md; one file each, but for the two kinds of lock cycle and the two of records.
Ruling judge_process_stopped(const JobFacts& job);
Ruling judge_rank_died(const JobFacts& job);
Ruling judge_lock_cycle(const JobFacts& job);
Ruling judge_gil_deadlock(const JobFacts& job);
Ruling judge_not_hung(const JobFacts& job);
Ruling judge_abort_deadlock(const JobFacts& job);
Ruling judge_concurrent_group_use(const JobFacts& job);
Ruling judge_collective_mismatch(const JobFacts& job);
Ruling judge_cross_group_order(const JobFacts& job);
Ruling judge_p2p_unmatched(const JobFacts& job);
Ruling judge_nccl_timeout(const JobFacts& job);
Ruling judge_asymmetric_control_flow(const JobFacts& job);
Ruling judge_host_straggler(const JobFacts& job);
Ruling judge_unknown(const JobFacts& job);

// What judge_nccl_timeout and judge_host_straggler answer where there are dumps alone, without stacks.
Ruling judge_timeout_by_records(const JobFacts& job);
Ruling judge_straggler_by_records(const JobFacts& job);

/// In the order in which they are tried; the first that fires gives the verdict, the last one always does.
const std::vector<Rule>& rules();

}  // namespace hangstack::classifiers
