#pragma once
// What hangstack itself may do: the rights that the kernel compares with those of a target.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sampler/proc/proc_files.h"

namespace hangstack::sampler {

/// Capabilities (include/uapi/linux/capability.h).
inline constexpr int kCapDacOverride = 1;
inline constexpr int kCapDacReadSearch = 2;
inline constexpr int kCapSysPtrace = 19;

struct TracerRights {
  std::vector<std::int32_t>
      own_pids;           ///< itself and those ancestors that run the same program: hangstack forks to read
  std::uint32_t uid = 0;  ///< real; the effective one is the same unless hangstack is installed setuid
  std::uint32_t gid = 0;
  std::uint64_t cap_permitted = 0;
  std::uint64_t cap_effective = 0;
  int seccomp = 0;             ///< as in Status
  std::string user_namespace;  ///< "user:[4026531837]"; empty if unknown
  bool may_stop = true;        ///< --stop never takes it away: then no ptrace call is made, not even to see if it works

  [[nodiscard]] bool has_capability(int number) const { return ((cap_effective >> number) & 1U) != 0; }
};

/// From PROC/self; what cannot be read stays at its default.
TracerRights read_tracer_rights(const ProcFiles& proc);

/// kernel.yama.ptrace_scope; none where the kernel has no Yama (Documentation/admin-guide/LSM/Yama.rst).
std::optional<int> read_yama_scope(const ProcFiles& proc);

/// Errors (errno values; 0: it works) of the system calls that a seccomp filter may forbid.
struct SystemCallTrial {
  int ptrace = 0;
  int process_vm_readv = 0;
};

/// Tries both on nothing: ptrace of pid 0, a read of hangstack's own memory. Under a seccomp filter the trial is made
/// by a child process, because a filter may kill; EPERM stands for that too. ptrace is tried only where a filter could
/// forbid it and `may_stop` holds: else it counts as working.
SystemCallTrial try_system_calls(const TracerRights& rights);

}  // namespace hangstack::sampler
