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
      {"concurrent_group_use", judge_concurrent_group_use},
      {"collective_mismatch", judge_collective_mismatch},
      {"cross_group_order", judge_cross_group_order},
      {"p2p_unmatched", judge_p2p_unmatched},
      {"nccl_timeout", judge_nccl_timeout},
      {"asymmetric_control_flow", judge_asymmetric_control_flow},
      {"host_straggler", judge_host_straggler},
      {"unknown", judge_unknown},
  };
  return kRules;
}

}  // namespace hangstack::classifiers
