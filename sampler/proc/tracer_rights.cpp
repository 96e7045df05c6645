#include "sampler/proc/tracer_rights.h"

#include <fmt/core.h>
#include <poll.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>

#include "sampler/child_process.h"
#include "sampler/proc/fields.h"
#include "sampler/proc/stat.h"
#include "sampler/proc/status.h"

namespace hangstack::sampler {
namespace {

int try_ptrace() {
  // No process has pid 0: if the filter lets the call pass, the answer is ESRCH.
  if (::ptrace(PTRACE_SEIZE, 0, nullptr, nullptr) == 0 || errno == ESRCH) return 0;
  return errno;
}

int try_process_vm_readv() {
  char from = 1;
  char to = 0;
  const iovec local{&to, 1};
  const iovec remote{&from, 1};
  return ::process_vm_readv(::getpid(), &local, 1, &remote, 1, 0) == 1 ? 0 : errno;
}

/// The result of `attempt` in a child: EPERM if the attempt killed it.
int try_in_child(int (*attempt)()) {
  const ReapableChildren reapable;
  auto child = ChildProcess::start([attempt](int pipe) {
    const int error = attempt();
    if (::write(pipe, &error, sizeof(error)) < 0) return;
  });
  if (!child) return 0;
  pollfd ready{child->pipe(), POLLIN, 0};
  while (::poll(&ready, 1, -1) < 0 && errno == EINTR) {
  }
  int error = EPERM;
  if (::read(child->pipe(), &error, sizeof(error)) != sizeof(error)) error = EPERM;
  child->kill(1000);
  return error;
}

constexpr int kMaxAncestors = 8;

/// hangstack reads each target from a child process: the parents that run the same program are hangstack too.
std::vector<std::int32_t> read_own_pids(const ProcFiles& proc) {
  std::vector<std::int32_t> pids{::getpid()};
  const auto exe = proc.read_link("self/exe");
  while (exe && pids.size() < kMaxAncestors) {
    const auto text = proc.read(fmt::format("{}/stat", pids.back()));
    if (!text) break;
    const auto stat = parse_stat(*text);
    if (!stat || stat->parent_pid <= 0) break;
    if (proc.read_link(fmt::format("{}/exe", stat->parent_pid)) != exe) break;
    pids.push_back(stat->parent_pid);
  }
  return pids;
}

}  // namespace

TracerRights read_tracer_rights(const ProcFiles& proc) {
  TracerRights rights;
  rights.own_pids = read_own_pids(proc);
  if (const auto text = proc.read("self/status"))
    if (const auto status = parse_status(*text)) {
      rights.uid = status->uids[0];
      rights.gid = status->gids[0];
      rights.cap_permitted = status->cap_permitted;
      rights.cap_effective = status->cap_effective;
      rights.seccomp = status->seccomp;
    }
  rights.user_namespace = proc.read_link("self/ns/user").value_or("");
  return rights;
}

std::optional<int> read_yama_scope(const ProcFiles& proc) {
  const auto text = proc.read("sys/kernel/yama/ptrace_scope", 16);
  if (!text) return std::nullopt;
  return number_from<int>(Fields(text->substr(0, text->find('\n'))).word()).value_or(0);
}

SystemCallTrial try_system_calls(const TracerRights& rights) {
  if (rights.seccomp == 0) return {0, try_process_vm_readv()};
  return {rights.may_stop ? try_in_child(try_ptrace) : 0, try_in_child(try_process_vm_readv)};
}

}  // namespace hangstack::sampler
