#pragma once
// The rank that a process was given: by its environment, its arguments, or its title.

#include <map>
#include <optional>
#include <span>
#include <string>

#include "model/identity.h"

namespace hangstack::sampler {

/// What a launcher wrote down for a process. A child inherits it: an equal claim of an ancestor takes precedence.
struct RankClaim {
  std::optional<int> rank;
  std::optional<int> local_rank;
  std::optional<int> world_size;
  std::string source;   ///< the variable or option that gave the rank; "LOCAL_RANK" or "process title" without one
  std::string job_key;  ///< empty if nothing names the job

  friend bool operator==(const RankClaim&, const RankClaim&) = default;
};

using Variables = std::map<std::string, std::string>;

/// The first that is complete, of: RANK (torchrun, PyTorch operators); OMPI_COMM_WORLD_RANK; PMIX_RANK; PMI_RANK;
/// MV2_COMM_WORLD_RANK; TORCHCOMM_RANK; RAY_RANK; SLURM_PROCID, which counts only in a job step (SLURM_STEP_ID), not in
/// the batch script. Local rank and world size come from the same launcher, else from LOCAL_RANK, WORLD_SIZE.
/// Numbers below 0 or above 10 million are no ranks.
std::optional<RankClaim> claim_from_environment(const Variables& environment);

/// --rank, --local_rank, --local-rank, --world_size, --world-size, "--rank N" and "--rank=N". None without one of the
/// first three. The key of the job is left empty.
std::optional<RankClaim> claim_from_arguments(std::span<const std::string> arguments);

/// "VLLM::Worker_TP0", "sglang::scheduler_TP1_EP1": the tensor parallel rank is the rank if nothing else (PP, DP)
/// counts.
std::optional<RankClaim> claim_from_title(std::string_view title);

/// Title, else environment, else arguments.
std::optional<RankClaim> find_claim(const Variables& environment, std::span<const std::string> arguments);

/// What names the job: MASTER_ADDR:MASTER_PORT, TORCHELASTIC_RUN_ID, Slurm's job and step, PMIx' name space, Open MPI's
/// job number; empty if nothing does. An address that means "this host" is followed by the host's name.
std::string job_key_from_environment(const Variables& environment, const std::string& host);

}  // namespace hangstack::sampler
