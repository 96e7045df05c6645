#include "sampler/proc/preflight.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "sampler/proc/living_thread.h"
#include "sampler/proc/schedule.h"

namespace hangstack::sampler {
namespace {

using model::Error;
using model::ErrorCode;
using model::Expected;

/// Program headers are 56 bytes long in 64-bit ELF, 32 in 32-bit: the kernel says so to every program (AT_PHENT).
/// auxv needs no mmap_lock and no access to the program's file.
bool is_32_bit(const ProcFiles& proc, std::int32_t pid, std::int32_t tid) {
  const auto auxv = proc.read(fmt::format("{}/task/{}/auxv", pid, tid), 4096);
  if (!auxv) return false;
  constexpr std::uint32_t kHeaderSize = 4;  // AT_PHENT
  for (std::size_t at = 0; at + 8 <= auxv->size(); at += 8) {
    std::array<std::uint32_t, 2> pair{};
    std::memcpy(pair.data(), auxv->data() + at, 8);
    if (pair[0] == kHeaderSize) return pair[1] == 32;
  }
  return false;
}

/// "; /proc shows state S, 53 threads, last ran 251.0 s ago": what nobody needs a right for.
std::string what_shows(const ProcFiles& proc, const Stat& leader) {
  std::string facts = fmt::format("; /proc shows state {}, {} thread{}", leader.state, leader.thread_count,
                                  leader.thread_count == 1 ? "" : "s");
  const std::string folder = fmt::format("{}/", leader.pid);
  if (const auto wchan = proc.read(folder + "wchan", 64); wchan && !wchan->empty() && *wchan != "0")
    facts += fmt::format(", waits in {}", *wchan);
  if (leader.state == 'R') return facts;
  const auto sched = proc.read(folder + "sched", 1UL << 16);
  if (!sched) return facts;
  if (const auto exec_start = parse_exec_start_ms(*sched))
    if (const auto asleep = RunQueueClock(proc).asleep_s(*exec_start, leader.processor))
      facts += fmt::format(", last ran {:.1f} s ago", *asleep);
  return facts;
}

Error no_such_process(const ProcFiles& proc, std::int32_t pid) {
  // A mount of /proc with hidepid=2 shows only the user's own processes; kill(2) knows them all.
  const bool hidden = proc.root() == "/proc" && pid > 0 && ::kill(pid, 0) != 0 && errno == EPERM;
  if (hidden)
    return {ErrorCode::no_permission,
            fmt::format("pid {} belongs to another user, and /proc is mounted with hidepid", pid),
            fmt::format("sudo hangstack --pids {}", pid)};
  return {
      ErrorCode::not_found, fmt::format("there is no process {}", pid),
      "it has ended, or the number is of another pid namespace: inside a container use the pids that ps shows there"};
}

Error zombie(const Stat& leader) {
  return {
      ErrorCode::zombie,
      fmt::format("pid {} ({}) has ended and waits for its parent {} to read its exit status: it has no stack any more",
                  leader.pid, leader.comm, leader.parent_pid),
      fmt::format("hangstack --pids {} shows why the parent does not", leader.parent_pid)};
}

/// Refusals that no right can lift.
Expected<void> check_kind(const TracerRights& rights, const Stat& leader, const Status& status, std::int32_t pid) {
  if (std::ranges::find(rights.own_pids, pid) != rights.own_pids.end())
    return model::failure(ErrorCode::unsupported_target, fmt::format("pid {} is hangstack itself", pid),
                          "leave it out of --pids; --pgrep leaves it out by itself");
  if (status.thread_group != 0 && status.thread_group != pid)
    return model::failure(ErrorCode::unsupported_target,
                          fmt::format("{} is a thread of process {}", pid, status.thread_group),
                          fmt::format("hangstack --pids {}", status.thread_group));
  if ((leader.flags & kTaskKernel) != 0 || status.kernel_thread.value_or(false))
    return model::failure(ErrorCode::kernel_thread,
                          fmt::format("pid {} ({}) is a kernel thread: it has no user-space stack", pid, leader.comm),
                          fmt::format("as root: cat /proc/{}/stack", pid));
  return {};
}

TargetRights rights_of(const ProcFiles& proc, std::int32_t pid, const Status& status) {
  TargetRights target;
  target.pid = pid;
  target.status = status;
  const std::string folder = fmt::format("{}/", pid);
  // The folder itself always belongs to the user: only the files in it tell (task_dump_owner in fs/proc/base.c).
  target.root_owned = status.uids[1] != 0 && proc.owner(folder + "environ").value_or(status.uids[1]) == 0;
  target.user_namespace = proc.read_link(folder + "ns/user").value_or("");
  const auto own_map = proc.read("self/uid_map", 4096);
  const auto map = proc.read(folder + "uid_map", 4096);
  target.other_user_map = own_map && map && *own_map != *map;
  target.yama_scope = read_yama_scope(proc).value_or(0);
  if (const auto label = proc.read(folder + "attr/current", 256))
    target.security_label = label->substr(0, label->find_first_of(std::string_view("\n\0", 2)));
  return target;
}

/// Memory by process_vm_readv, or else by the mem file, which a seccomp filter does not see.
Expected<void> check_system_calls(const ProcFiles& proc, const SystemCallTrial& trial, std::int32_t pid,
                                  Access& access) {
  const std::string_view fix =
      "start the container with --security-opt seccomp=unconfined or with --cap-add SYS_PTRACE, which opens both in "
      "the "
      "default profiles; Kubernetes: securityContext.seccompProfile.type Unconfined";
  if (trial.process_vm_readv != 0) {
    const std::string message = fmt::format("a seccomp filter on hangstack forbids process_vm_readv ({})",
                                            std::strerror(trial.process_vm_readv));
    if (!proc.read(fmt::format("{}/mem", pid), 0))
      return model::failure(ErrorCode::no_permission, fmt::format("pid {}: {}", pid, message), std::string(fix));
    access.limits.push_back(
        {ErrorCode::no_permission, message + ": memory is read through /proc/PID/mem", std::string(fix)});
  }
  if (trial.ptrace != 0)
    access.limits.push_back({ErrorCode::no_permission,
                             fmt::format("a seccomp filter on hangstack forbids ptrace ({}): pid {} is only looked at, "
                                         "threads that run have no stack",
                                         std::strerror(trial.ptrace), pid),
                             std::string(fix)});
  return {};
}

void note_tracer(const ProcFiles& proc, std::int32_t pid, const Status& status, Access& access) {
  if (status.tracer_pid == 0) return;
  access.tracer_pid = status.tracer_pid;
  if (const auto text = proc.read(fmt::format("{}/stat", status.tracer_pid)))
    if (const auto stat = parse_stat(*text)) access.tracer_name = stat->comm;
  access.limits.push_back(
      {ErrorCode::already_traced,
       fmt::format("pid {} is traced by {} (pid {}): it is only looked at, threads that run have no stack", pid,
                   access.tracer_name.empty() ? "another process" : access.tracer_name, access.tracer_pid),
       "detach that debugger if stacks are missing"});
}

}  // namespace

Expected<Access> check_target(const ProcFiles& proc, const TracerRights& rights, std::int32_t pid) {
  const auto stat_text = proc.read(fmt::format("{}/stat", pid));
  if (!stat_text) return tl::make_unexpected(no_such_process(proc, pid));
  const auto leader = parse_stat(*stat_text);
  if (!leader) return tl::make_unexpected(leader.error());
  const auto status_text = proc.read(fmt::format("{}/status", pid));
  if (!status_text) return tl::make_unexpected(no_such_process(proc, pid));
  const auto status = parse_status(*status_text);
  if (!status) return tl::make_unexpected(status.error());

  if (const auto kind = check_kind(rights, *leader, *status, pid); !kind) return tl::make_unexpected(kind.error());
  Access access;
  access.live_tid = living_thread(proc, *leader);
  if (access.live_tid == 0) return tl::make_unexpected(zombie(*leader));

  if (is_32_bit(proc, pid, access.live_tid))
    return model::failure(
        ErrorCode::unsupported_target, fmt::format("pid {} runs a 32-bit program", pid),
        fmt::format("hangstack reads 64-bit processes: try gdb -p {} -batch -ex 'thread apply all bt'", pid));
  const auto line = proc.read(fmt::format("{}/task/{}/syscall", pid, access.live_tid), 4096);
  if (!line && line.error().code == ErrorCode::no_permission) {
    Error refusal = explain_refusal(rights, rights_of(proc, pid, *status));
    refusal.message += what_shows(proc, *leader);
    return tl::make_unexpected(std::move(refusal));
  }
  if (const auto calls = check_system_calls(proc, try_system_calls(rights), pid, access); !calls)
    return tl::make_unexpected(calls.error());
  note_tracer(proc, pid, *status, access);
  return access;
}

}  // namespace hangstack::sampler
