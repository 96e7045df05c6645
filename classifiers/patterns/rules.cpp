#include <array>

#include "classifiers/patterns/pattern.h"

namespace hangstack::classifiers {

const std::vector<Rule>& rules() {
  static const std::vector<Rule> kRules = {
      {"process_stopped", judge_process_stopped},
      {"rank_died", judge_rank_died},
      {"not_hung", judge_not_hung},
      {"lock_cycle", judge_lock_cycle},
      {"gil_deadlock", judge_gil_deadlock},
      {"abort_deadlock", judge_abort_deadlock},
      {"host_straggler", judge_joined_jobs, " over jobs"},
      {"concurrent_group_use", judge_concurrent_group_use},
      {"collective_mismatch", judge_collective_mismatch},
      {"cross_group_order", judge_cross_group_order},
      {"p2p_unmatched", judge_p2p_unmatched},
      {"nccl_timeout", judge_nccl_timeout},
      {"collective_mismatch", judge_mismatch_by_call_logs, " by sequence logs"},
      {"nccl_resource_wait", judge_nccl_resource_wait},
      {"concurrent_group_use", judge_concurrent_by_stacks, " by stacks"},
      {"barrier_deadlock", judge_barrier_deadlock},
      {"forward_order_violation", judge_forward_order_violation},
      {"not_hung", judge_idle_server, " as an idle server"},
      {"asymmetric_control_flow", judge_asymmetric_control_flow},
      {"host_straggler", judge_host_straggler},
      {"implicit_sync", judge_implicit_sync},
      {"init_timeout", judge_init_timeout},
      {"p2p_unmatched", judge_p2p_by_stacks, " by stacks"},
      {"init_bootstrap", judge_init_bootstrap},
      {"init_bootstrap", judge_init_by_log, " by NCCL's log"},
      {"asymmetric_control_flow", judge_behind_by_call_logs, " by sequence logs"},
      {"collective_mismatch", judge_waits_apart, " by stacks"},
      {"nccl_timeout", judge_waits_alike, " by stacks"},
      {"gil_deadlock", judge_gil_wait, " by stacks"},
      {"host_straggler", judge_stall, " by its place"},
      {"unknown", judge_unknown},
  };
  return kRules;
}

}  // namespace hangstack::classifiers
