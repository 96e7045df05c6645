#include "sampler/discover/claim.h"

#include <algorithm>
#include <array>

#include "sampler/proc/fields.h"

namespace hangstack::sampler {
namespace {

constexpr int kMaxRank = 10'000'000;

std::optional<int> rank_number(std::string_view text) {
  const auto number = number_from<int>(text);
  if (!number || *number < 0 || *number > kMaxRank) return std::nullopt;
  return number;
}

std::string_view value_of(const Variables& environment, std::string_view name) {
  const auto found = environment.find(std::string(name));
  return found == environment.end() ? std::string_view() : found->second;
}

/// Names of one launcher; an empty name stands for none.
struct Names {
  std::string_view rank, local_rank, world_size;
};

/// torch: torch/distributed/elastic/agent/server/local_elastic_agent.py. Open MPI, PMIx, MPICH and MVAPICH: their
/// runtime's documentation. torchcomms: comms/torchcomms. Ray: as verl and Ray Train set them.
constexpr std::array kLaunchers{
    Names{"RANK", "LOCAL_RANK", "WORLD_SIZE"},
    Names{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_SIZE"},
    Names{"PMIX_RANK", "", ""},
    Names{"PMI_RANK", "MPI_LOCALRANKID", "PMI_SIZE"},
    Names{"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_LOCAL_RANK", "MV2_COMM_WORLD_SIZE"},
    Names{"TORCHCOMM_RANK", "", "TORCHCOMM_SIZE"},
    Names{"RAY_RANK", "RAY_LOCAL_RANK", "RAY_WORLD_SIZE"},
};

/// srun numbers the steps of a job from 0; the batch script, external and interactive steps have numbers near 2^32
/// (SLURM_BATCH_SCRIPT and its neighbours in slurm/slurm.h).
bool in_slurm_step(const Variables& environment) {
  std::string_view step = value_of(environment, "SLURM_STEP_ID");
  if (step.empty()) step = value_of(environment, "SLURM_STEPID");
  const auto number = number_from<std::uint32_t>(step);
  return number && *number < 0xfffffff0U;
}

std::optional<RankClaim> claim_from_slurm(const Variables& environment) {
  if (!in_slurm_step(environment)) return std::nullopt;
  RankClaim claim;
  claim.rank = rank_number(value_of(environment, "SLURM_PROCID"));
  if (!claim.rank) return std::nullopt;
  claim.local_rank = rank_number(value_of(environment, "SLURM_LOCALID"));
  claim.world_size = rank_number(value_of(environment, "SLURM_STEP_NUM_TASKS"));
  if (!claim.world_size) claim.world_size = rank_number(value_of(environment, "SLURM_NTASKS"));
  claim.source = "SLURM_PROCID";
  return claim;
}

std::optional<RankClaim> first_claim(const Variables& environment) {
  for (const Names& names : kLaunchers) {
    const auto rank = rank_number(value_of(environment, names.rank));
    if (!rank) continue;
    return RankClaim{rank,
                     rank_number(value_of(environment, names.local_rank)),
                     rank_number(value_of(environment, names.world_size)),
                     std::string(names.rank),
                     {}};
  }
  if (auto slurm = claim_from_slurm(environment)) return slurm;
  const auto local_rank = rank_number(value_of(environment, "LOCAL_RANK"));
  if (!local_rank) return std::nullopt;
  return RankClaim{std::nullopt, local_rank, std::nullopt, "LOCAL_RANK", {}};
}

/// "--rank=3" or "--rank 3": the value if `argument` is the option.
std::optional<int> option_value(std::string_view option, std::span<const std::string> arguments, std::size_t at) {
  const std::string_view argument = arguments[at];
  if (!argument.starts_with(option)) return std::nullopt;
  if (argument.size() > option.size()) {
    if (argument[option.size()] != '=') return std::nullopt;
    return rank_number(argument.substr(option.size() + 1));
  }
  if (at + 1 == arguments.size()) return std::nullopt;
  return rank_number(arguments[at + 1]);
}

bool means_this_host(std::string_view address) {
  return address == "localhost" || address.starts_with("127.") || address == "::1" || address == "0.0.0.0";
}

}  // namespace

std::optional<RankClaim> claim_from_environment(const Variables& environment) {
  auto claim = first_claim(environment);
  if (!claim) return std::nullopt;
  if (claim->source.starts_with("PMI"))  // under srun the process manager leaves these to Slurm
    if (const auto slurm = claim_from_slurm(environment)) {
      if (!claim->local_rank) claim->local_rank = slurm->local_rank;
      if (!claim->world_size) claim->world_size = slurm->world_size;
    }
  if (!claim->local_rank) claim->local_rank = rank_number(value_of(environment, "LOCAL_RANK"));
  if (!claim->world_size) claim->world_size = rank_number(value_of(environment, "WORLD_SIZE"));
  return claim;
}

std::optional<RankClaim> claim_from_arguments(std::span<const std::string> arguments) {
  RankClaim claim;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    if (const auto rank = option_value("--rank", arguments, i)) claim.rank = rank;
    for (const std::string_view option : {"--local_rank", "--local-rank"})
      if (const auto rank = option_value(option, arguments, i)) claim.local_rank = rank;
    for (const std::string_view option : {"--world_size", "--world-size"})
      if (const auto size = option_value(option, arguments, i)) claim.world_size = size;
  }
  if (!claim.rank && !claim.local_rank) return std::nullopt;
  claim.source = claim.rank ? "--rank" : "--local_rank";
  return claim;
}

std::optional<RankClaim> claim_from_title(std::string_view title) {
  for (const std::string_view start : {"VLLM::Worker", "sglang::scheduler"}) {
    if (!title.starts_with(start)) continue;
    RankClaim claim;
    claim.source = "process title";
    const bool other_axes = title.find("PP") != std::string_view::npos || title.find("DP") != std::string_view::npos;
    const std::size_t at = title.find("_TP");
    if (at != std::string_view::npos && !other_axes) {
      const std::string_view digits = title.substr(at + 3);
      claim.rank = rank_number(digits.substr(0, std::min(digits.find_first_not_of("0123456789"), digits.size())));
    }
    return claim;
  }
  return std::nullopt;
}

std::optional<RankClaim> find_claim(const Variables& environment, std::span<const std::string> arguments) {
  if (!arguments.empty())
    if (auto claim = claim_from_title(arguments[0])) return claim;
  if (auto claim = claim_from_environment(environment); claim && claim->rank) return claim;
  if (auto claim = claim_from_arguments(arguments)) return claim;
  return claim_from_environment(environment);
}

std::string job_key_from_environment(const Variables& environment, const std::string& host) {
  const std::string address(value_of(environment, "MASTER_ADDR"));
  const std::string port(value_of(environment, "MASTER_PORT"));
  if (!address.empty() && !port.empty())
    return address + ":" + port + (means_this_host(address) ? "@" + host : std::string());
  const std::string_view run_id = value_of(environment, "TORCHELASTIC_RUN_ID");
  if (!run_id.empty() && run_id != "none") return "torchelastic " + std::string(run_id);
  const std::string_view slurm_job = value_of(environment, "SLURM_JOB_ID");
  if (!slurm_job.empty() && in_slurm_step(environment)) {
    std::string_view step = value_of(environment, "SLURM_STEP_ID");
    if (step.empty()) step = value_of(environment, "SLURM_STEPID");
    return "slurm " + std::string(slurm_job) + "." + std::string(step);
  }
  for (const std::string_view name : {"PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid", "OMPI_MCA_orte_ess_jobid"})
    if (const std::string_view value = value_of(environment, name); !value.empty()) return "mpi " + std::string(value);
  return {};
}

}  // namespace hangstack::sampler
