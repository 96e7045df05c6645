// Why the kernel does not let one process read another: __ptrace_may_access in kernel/ptrace.c, cap_ptrace_access_check
// in security/commoncap.c, yama_ptrace_access_check in security/yama/yama_lsm.c (Linux 4.18 to 6.18).
#include <fmt/core.h>

#include <algorithm>

#include "sampler/proc/preflight.h"

namespace hangstack::sampler {
namespace {

using model::Error;
using model::ErrorCode;

/// Root without the capability is root in a container, where sudo does not help.
std::string how_to_get_ptrace(const TracerRights& rights, std::int32_t pid) {
  if (rights.uid == 0)
    return fmt::format(
        "give the container the capability: docker or podman run --cap-add SYS_PTRACE; Kubernetes "
        "securityContext.capabilities.add: [SYS_PTRACE], or kubectl debug --profile=general --target=CONTAINER; or run "
        "hangstack --pids {} as root on the host",
        pid);
  return fmt::format("sudo hangstack --pids {}", pid);
}

bool same_user(const TracerRights& rights, const Status& target) {
  const auto is = [](std::uint32_t id) { return [id](std::uint32_t other) { return other == id; }; };
  return std::all_of(target.uids.begin(), target.uids.begin() + 3, is(rights.uid)) &&
         std::all_of(target.gids.begin(), target.gids.begin() + 3, is(rights.gid));
}

Error refuse(std::string message, std::string fix) {
  return {ErrorCode::no_permission, std::move(message), std::move(fix)};
}

Error other_user(const TracerRights& rights, const TargetRights& target) {
  const std::string ptrace = how_to_get_ptrace(rights, target.pid);
  if (rights.uid == target.status.uids[0])
    return refuse(fmt::format("pid {} runs with other user or group ids than hangstack (setuid program, or another "
                              "group), and hangstack lacks CAP_SYS_PTRACE",
                              target.pid),
                  ptrace);
  const std::string as_user =
      rights.uid == 0 ? "" : fmt::format(", or sudo -u '#{}' hangstack --pids {}", target.status.uids[0], target.pid);
  return refuse(fmt::format("pid {} belongs to uid {}, hangstack runs as uid {} without CAP_SYS_PTRACE", target.pid,
                            target.status.uids[0], rights.uid),
                ptrace + as_user);
}

Error yama(const TracerRights& rights, const TargetRights& target) {
  if (target.yama_scope >= 3)
    return refuse(
        fmt::format("pid {}: kernel.yama.ptrace_scope is 3: this kernel lets nobody read another process until "
                    "it is booted again",
                    target.pid),
        "boot with kernel.yama.ptrace_scope below 3 in /etc/sysctl.d; until then: the flight recorder, py-spy "
        "cannot help either");
  const std::string ptrace = how_to_get_ptrace(rights, target.pid);
  if (target.yama_scope == 2)
    return refuse(
        fmt::format("pid {}: kernel.yama.ptrace_scope is 2: only CAP_SYS_PTRACE may read other processes", target.pid),
        ptrace);
  return refuse(
      fmt::format("pid {}: kernel.yama.ptrace_scope is 1: without CAP_SYS_PTRACE only its ancestors may read it",
                  target.pid),
      ptrace + ", or once: sudo sysctl kernel.yama.ptrace_scope=0");
}

/// What still forbids it although hangstack has CAP_SYS_PTRACE.
Error despite_capability(const TracerRights& rights, const TargetRights& target) {
  if (target.yama_scope >= 3) return yama(rights, target);
  const bool opens_files = rights.has_capability(kCapDacReadSearch) || rights.has_capability(kCapDacOverride);
  if (!opens_files && (!same_user(rights, target.status) || target.root_owned))
    return refuse(
        fmt::format("pid {}: hangstack has CAP_SYS_PTRACE but lacks CAP_DAC_READ_SEARCH, which opens the "
                    "files of another user's process",
                    target.pid),
        fmt::format("sudo hangstack --pids {}, or setcap cap_sys_ptrace,cap_dac_read_search+ep hangstack", target.pid));
  const std::string label =
      target.security_label.empty() ? "" : fmt::format(" (its label is {})", target.security_label);
  return refuse(
      fmt::format("pid {}: the kernel refuses although user, capabilities and Yama allow it: a security module "
                  "such as SELinux, AppArmor or Landlock forbids it{}",
                  target.pid, label),
      "look at: getsebool deny_ptrace; aa-status; dmesg | grep -i denied; in a container run hangstack on the "
      "host, or with --security-opt apparmor=unconfined");
}

}  // namespace

Error explain_refusal(const TracerRights& rights, const TargetRights& target) {
  const bool other_namespace =
      target.other_user_map || (!target.user_namespace.empty() && !rights.user_namespace.empty() &&
                                target.user_namespace != rights.user_namespace);
  const bool capable = rights.has_capability(kCapSysPtrace);
  if (other_namespace)
    return refuse(
        fmt::format("pid {} is in another user namespace (a rootless container, or a sandbox), where hangstack's "
                    "rights do not count",
                    target.pid),
        fmt::format("run hangstack inside that container, or enter it: nsenter -t {0} -U --preserve-credentials "
                    "hangstack --pids {0}; or as root on the host: sudo hangstack --pids {0}",
                    target.pid));
  if (capable) return despite_capability(rights, target);
  if (!same_user(rights, target.status)) return other_user(rights, target);
  if (target.root_owned && rights.uid != 0)
    return refuse(
        fmt::format("pid {} is not dumpable (prctl PR_SET_DUMPABLE, or a program with file capabilities, or one "
                    "that its user may not read), so only CAP_SYS_PTRACE may read it",
                    target.pid),
        how_to_get_ptrace(rights, target.pid));
  if ((target.status.cap_permitted & ~rights.cap_permitted) != 0)
    return refuse(fmt::format("pid {} has capabilities that hangstack lacks (CapPrm {:x} against {:x})", target.pid,
                              target.status.cap_permitted, rights.cap_permitted),
                  how_to_get_ptrace(rights, target.pid));
  if (target.yama_scope >= 1) return yama(rights, target);
  if (rights.uid == 0)
    return refuse(
        fmt::format("pid {}: hangstack runs as root but without CAP_SYS_PTRACE, and the process is not dumpable "
                    "or a security module protects it",
                    target.pid),
        how_to_get_ptrace(rights, target.pid));
  return despite_capability(rights, target);
}

}  // namespace hangstack::sampler
