#pragma once
// One rule per pattern: from facts to a verdict, or to the reason why not.

#include <optional>
#include <string>
#include <string_view>
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
  const char* pattern = "";
  Ruling (*judge)(const JobFacts&) = nullptr;
  const char* by = "";  ///< of a second rule for one pattern, what it goes by; stands in the log
};

/// Each is documented in docs/verdicts.md; one file each, but for the two kinds of lock cycle.
Ruling judge_process_stopped(const JobFacts& job);
Ruling judge_rank_died(const JobFacts& job);
Ruling judge_lock_cycle(const JobFacts& job);
Ruling judge_gil_deadlock(const JobFacts& job);
Ruling judge_not_hung(const JobFacts& job);
Ruling judge_idle_server(const JobFacts& job);
Ruling judge_abort_deadlock(const JobFacts& job);
Ruling judge_concurrent_group_use(const JobFacts& job);
Ruling judge_collective_mismatch(const JobFacts& job);
Ruling judge_cross_group_order(const JobFacts& job);
Ruling judge_p2p_unmatched(const JobFacts& job);
Ruling judge_nccl_timeout(const JobFacts& job);
Ruling judge_asymmetric_control_flow(const JobFacts& job);
Ruling judge_host_straggler(const JobFacts& job);
Ruling judge_joined_jobs(const JobFacts& job);
Ruling judge_unknown(const JobFacts& job);

// Where no records tell what the ranks wait for, in waits_apart.cpp, p2p_by_stacks.cpp, named_waits.cpp, and in
// concurrent_group_use.cpp.
Ruling judge_nccl_resource_wait(const JobFacts& job);
Ruling judge_implicit_sync(const JobFacts& job);
Ruling judge_barrier_deadlock(const JobFacts& job);
Ruling judge_forward_order_violation(const JobFacts& job);
Ruling judge_init_bootstrap(const JobFacts& job);
Ruling judge_concurrent_by_stacks(const JobFacts& job);
Ruling judge_init_timeout(const JobFacts& job);
Ruling judge_p2p_by_stacks(const JobFacts& job);
Ruling judge_waits_apart(const JobFacts& job);
Ruling judge_waits_alike(const JobFacts& job);
Ruling judge_gil_wait(const JobFacts& job);
Ruling judge_stall(const JobFacts& job);

// What judge_nccl_timeout and judge_host_straggler answer where there are dumps alone, without stacks.
Ruling judge_timeout_by_records(const JobFacts& job);
Ruling judge_straggler_by_records(const JobFacts& job);

// By what programs wrote down of their own calls, and by NCCL's log, in by_call_logs.cpp and init_by_log.cpp.
Ruling judge_mismatch_by_call_logs(const JobFacts& job);
Ruling judge_behind_by_call_logs(const JobFacts& job);
Ruling judge_init_by_log(const JobFacts& job);

/// In the order in which they are tried; the first that fires gives the verdict, the last one always does.
const std::vector<Rule>& rules();

}  // namespace hangstack::classifiers
