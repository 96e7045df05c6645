#pragma once
// Which processes belong to a job, and who each of them is in it. Reads /proc only.

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "model/error.h"
#include "model/identity.h"
#include "sampler/proc/proc_files.h"

namespace hangstack::sampler {

/// All processes that are ranks of some job, and zombies with the parent and the name of one, which may have been,
/// ascending; never hangstack itself, its ancestors or its children.
std::vector<std::int32_t> find_ranks(const ProcFiles& proc);

struct FoundRank {
  std::int32_t pid = 0;
  model::RankIdentity identity;
};

/// The ranks of the jobs with these keys (model::RankIdentity::job_key), ascending by pid; hangstack's family excepted.
std::vector<FoundRank> find_ranks_of(const ProcFiles& proc, const std::set<std::string>& job_keys);

/// Processes whose command line (arguments joined by spaces) matches the POSIX extended regular expression;
/// hangstack, its children and its ancestors excepted. An error if the expression does not compile.
model::Expected<std::vector<std::int32_t>> find_by_command_line(const ProcFiles& proc, const std::string& expression);

/// `pids` and every process below them, ascending; of hangstack and its own children only what `pids` names.
std::vector<std::int32_t> with_descendants(const ProcFiles& proc, std::span<const std::int32_t> pids);

/// hangstack itself and those of its ancestors that only run programs: shells, sudo, sshd. "pgrep -f train.py" finds
/// them by hangstack's own arguments.
std::set<std::int32_t> own_shells(const ProcFiles& proc);

/// Role, rank, local rank, world size and job of one process from its environment, command line and parents.
/// Never fails: what /proc does not tell stays empty. Environment variables by launcher: RANK, LOCAL_RANK, WORLD_SIZE
/// (torchrun); OMPI_COMM_WORLD_*; PMI_RANK, PMIX_RANK, PMI_SIZE; SLURM_PROCID, SLURM_LOCALID, SLURM_NTASKS;
/// MV2_COMM_WORLD_*; RAY_*; and --rank/--local_rank options.
model::RankIdentity identify(const ProcFiles& proc, std::int32_t pid);

/// The same with the processes below it, ascending by pid, at most 256; hangstack's own are left out.
struct Family {
  model::RankIdentity identity;
  std::vector<model::Descendant> descendants;
};
Family read_family(const ProcFiles& proc, std::int32_t pid);

/// The variables of a process's environment that may be shown and kept: RANK, NCCL_*, TORCH_*, CUDA_*, SLURM_* and so
/// on.
bool environment_variable_is_allowed(std::string_view name);

}  // namespace hangstack::sampler
