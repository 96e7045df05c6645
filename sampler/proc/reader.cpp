#include "sampler/proc/reader.h"

#include <fmt/core.h>
#include <poll.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>

#include "sampler/child_process.h"
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

Reader read_reader(const ProcFiles& proc) {
  Reader reader;
  reader.own_pids = read_own_pids(proc);
  if (const auto text = proc.read("self/status"))
    if (const auto status = parse_status(*text)) {
      reader.uid = status->uids[0];
      reader.gid = status->gids[0];
      reader.cap_permitted = status->cap_permitted;
      reader.cap_effective = status->cap_effective;
      reader.seccomp = status->seccomp;
    }
  reader.user_namespace = proc.read_link("self/ns/user").value_or("");
  return reader;
}

SystemCallTrial try_system_calls(const Reader& reader) {
  if (reader.seccomp == 0) return {0, try_process_vm_readv()};
  return {reader.may_stop ? try_in_child(try_ptrace) : 0, try_in_child(try_process_vm_readv)};
}

}  // namespace hangstack::sampler
