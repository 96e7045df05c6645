#pragma once
// Who a process is in its job.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace hangstack::model {

enum class Role : std::uint8_t {
  rank,               ///< takes part in the job's communication
  launcher,           ///< torchrun, mpirun, accelerate, a shell around them
  dataloader_worker,  ///< child that feeds a rank
  compile_worker,     ///< child that compiles for a rank (inductor, triton, ninja)
  helper,             ///< other child of a rank: resource tracker, logger...
  other,              ///< nothing says that it belongs to a job
};

/// "rank", "launcher", "dataloader worker"...: as shown in reports.
std::string_view role_name(Role role);

struct RankIdentity {
  Role role = Role::other;
  std::optional<int> rank;
  std::optional<int> local_rank;
  std::optional<int> world_size;
  std::string rank_source;  ///< the variable or option that gave the rank: "RANK", "OMPI_COMM_WORLD_RANK", "--rank"...
  std::string
      job_key;  ///< equal for ranks of one job: rendezvous endpoint, Slurm job and step, MPI job; empty if unknown
  std::int32_t rank_pid = 0;  ///< for workers and helpers: pid of the rank they belong to, 0 if none

  friend bool operator==(const RankIdentity&, const RankIdentity&) = default;
};

/// A process below another one, as its stat file says.
struct Descendant {
  std::int32_t pid = 0;
  std::int32_t parent_pid = 0;
  std::string name;  ///< comm, raw bytes
  char kernel_state = '?';
  std::uint64_t cpu_ticks = 0;  ///< user and system time so far

  friend bool operator==(const Descendant&, const Descendant&) = default;
};

}  // namespace hangstack::model
