#pragma once
// May this process be read at all? Asked before anything is attached.

#include <string>
#include <vector>

#include "model/error.h"
#include "sampler/proc/proc_files.h"
#include "sampler/proc/stat.h"
#include "sampler/proc/status.h"
#include "sampler/proc/tracer_rights.h"

namespace hangstack::sampler {

/// What works with a process that is not refused.
struct Access {
  std::int32_t live_tid = 0;    ///< a thread that has memory: the pid itself unless its leader has ended
  std::int32_t tracer_pid = 0;  ///< 0: nobody traces it. Else it can be looked at, but not stopped by hangstack
  std::string tracer_name;
  std::vector<model::Error> limits;  ///< what does not work: stops, because of a tracer or a seccomp filter
};

/// Refusals, each with a sentence that names the pid and with what to run instead:
/// `not_found` no such process, or hidden by the mount of /proc; `unsupported_target` hangstack itself, a thread
/// instead of a process, a 32-bit program; `kernel_thread`; `zombie` (a leader that ended before its threads is no
/// zombie); `no_permission` by user, dumpable attribute, capabilities, Yama, user namespace, seccomp filter or security
/// module. The kernel decides: permission is missing if PROC/PID/task/TID/syscall cannot be read, which is the right
/// that process_vm_readv and ptrace need too (PTRACE_MODE_ATTACH, ptrace(2)); the rules only explain it. A refusal says
/// what /proc shows even so: state, number of threads, when it last ran. Takes no lock that a stuck process holds,
/// opens no file but those of /proc.
model::Expected<Access> check_target(const ProcFiles& proc, const TracerRights& rights, std::int32_t pid);

/// Why the kernel refuses: pure, from what is known of both sides. Always an answer, `no_permission`.
struct TargetRights {
  std::int32_t pid = 0;
  Status status;
  bool root_owned = false;      ///< its files belong to root: not dumpable, unless root runs it
  std::string user_namespace;   ///< empty if unknown
  bool other_user_map = false;  ///< its uid_map differs from hangstack's
  int yama_scope = 0;           ///< kernel.yama.ptrace_scope; 0 without Yama
  std::string security_label;   ///< attr/current: AppArmor profile or SELinux context; empty if none
};
model::Error explain_refusal(const TracerRights& rights, const TargetRights& target);

}  // namespace hangstack::sampler
