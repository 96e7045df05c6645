// Checks of the host: what kernel and confinement let hangstack do to a process of its own.
#include <fmt/core.h>
#include <poll.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>

#include "sampler/child_process.h"
#include "sampler/doctor.h"
#include "sampler/proc/schedule.h"
#include "sampler/proc/stat.h"
#include "sampler/proc/status.h"
#include "sampler/proc/syscall.h"
#include "sampler/proc/tracer_rights.h"
#include "sampler/stop/tracee.h"
#include "sampler/stop/tracer_thread.h"
#include "sampler/stop/wait.h"

namespace hangstack::sampler {
namespace {

const std::string kContainerFix =
    "give the container CAP_SYS_PTRACE (docker or podman run --cap-add SYS_PTRACE; Kubernetes "
    "securityContext.capabilities.add: [SYS_PTRACE], or kubectl debug --profile=general), or run hangstack on the host";

constexpr std::chrono::seconds kTrialPatience{5};

/// A child process that waits to be looked at.
class TrialProcess {
 public:
  TrialProcess()
      : child_(ChildProcess::start([](int pipe) {
          const pid_t self = ::getpid();
          if (::write(pipe, &self, sizeof(self)) != sizeof(self)) return;
          for (;;) ::pause();
        })) {
    if (!child_) return;
    pollfd ready{child_->pipe(), POLLIN, 0};
    ::poll(&ready, 1, 5000);
    if (::read(child_->pipe(), &pid_, sizeof(pid_)) != sizeof(pid_)) pid_ = 0;
  }
  TrialProcess(const TrialProcess&) = delete;
  TrialProcess& operator=(const TrialProcess&) = delete;
  ~TrialProcess() {
    if (child_) child_->kill(1000);
  }
  [[nodiscard]] pid_t pid() const { return pid_; }

 private:
  model::Expected<ChildProcess> child_;
  pid_t pid_ = 0;
};

Check check_rights(const TracerRights& rights) {
  const bool capable = rights.has_capability(kCapSysPtrace);
  Check check{.name = "privileges", .ok = capable, .finding = fmt::format("uid {}", rights.uid)};
  if (capable) {
    check.finding += " with CAP_SYS_PTRACE: processes of all users can be read";
  } else {
    check.finding += fmt::format(" without CAP_SYS_PTRACE: only processes of uid {} can be read", rights.uid);
    check.fix = rights.uid == 0 ? kContainerFix : "sudo hangstack, if the job runs as another user";
  }
  return check;
}

Check check_yama(const ProcFiles& proc, const TracerRights& rights) {
  Check check{.name = "yama", .ok = true, .needed = true};
  const auto scope = read_yama_scope(proc);
  if (!scope) {
    check.finding = "this kernel has no Yama";
    return check;
  }
  const bool capable = rights.has_capability(kCapSysPtrace);
  check.ok = *scope == 0 || (*scope < 3 && capable);
  check.finding = fmt::format("kernel.yama.ptrace_scope is {}", *scope);
  if (!check.ok)
    check.fix = *scope >= 3 ? "boot with kernel.yama.ptrace_scope below 3"
                            : "sudo hangstack, or once: sudo sysctl kernel.yama.ptrace_scope=0";
  return check;
}

Check check_seccomp(const TracerRights& rights) {
  const SystemCallTrial trial = try_system_calls(rights);
  Check check{.name = "seccomp", .ok = trial.ptrace == 0 && trial.process_vm_readv == 0, .needed = true};
  if (rights.seccomp == 0)
    check.finding = "no seccomp filter is on hangstack";
  else if (check.ok)
    check.finding = "the seccomp filter on hangstack allows ptrace and process_vm_readv";
  else
    check.finding = fmt::format("the seccomp filter on hangstack forbids {}{}", trial.ptrace != 0 ? "ptrace " : "",
                                trial.process_vm_readv != 0 ? "process_vm_readv" : "");
  if (!check.ok) check.fix = "start the container with --security-opt seccomp=unconfined, or with --cap-add SYS_PTRACE";
  return check;
}

/// The line of a thread that waits in pause(2); it may be running when first asked.
model::Expected<SyscallLine> wait_for_line(const ProcFiles& proc, pid_t pid) {
  const auto end = std::chrono::steady_clock::now() + kTrialPatience;
  for (;;) {
    auto line = proc.read(fmt::format("{0}/task/{0}/syscall", pid), 4096).and_then(parse_syscall);
    if (!line || !line->running || std::chrono::steady_clock::now() > end) return line;
    ::usleep(1000);
  }
}

Check check_look(const model::Expected<SyscallLine>& line) {
  Check check{.name = "look without a stop", .ok = line && !line->running, .needed = true};
  check.finding = check.ok ? "registers of sleeping threads are readable from /proc/PID/task/TID/syscall"
                  : line   ? "the trial process did not go to sleep"
                           : line.error().message;
  if (!check.ok) check.fix = "a kernel built with CONFIG_HAVE_ARCH_TRACEHOOK; until then --stop all";
  return check;
}

Check check_memory(const ProcFiles& proc, pid_t pid, std::uint64_t address) {
  std::uint64_t word = 0;
  const iovec local{&word, sizeof(word)};
  const iovec remote{reinterpret_cast<void*>(address), sizeof(word)};
  const bool by_call = ::process_vm_readv(pid, &local, 1, &remote, 1, 0) == sizeof(word);
  const int error = errno;
  const bool by_file = by_call || proc.read(fmt::format("{}/mem", pid), 0).has_value();
  Check check{.name = "memory", .ok = by_file, .needed = true};
  if (by_call)
    check.finding = "memory is readable by process_vm_readv";
  else if (by_file)
    check.finding = fmt::format("process_vm_readv does not work ({}); /proc/PID/mem is used, which is slower",
                                std::strerror(error));
  else
    check.finding = fmt::format("memory of another process cannot be read: {}", std::strerror(error));
  if (!check.ok) check.fix = kContainerFix;
  return check;
}

/// Seizes, stops and releases the trial process, as a thread that runs would be.
Check check_ptrace(pid_t pid) {
  Check check{.name = "ptrace", .needed = true};
  run_as_tracer([&] {
    auto tracee = Tracee::seize(pid);
    const auto stopped = tracee ? tracee->wait_until_stopped(SteadyClock::now() + kTrialPatience, kWaitForSleeping)
                                : model::Expected<void>(tl::make_unexpected(tracee.error()));
    check.ok = stopped.has_value();
    check.finding = check.ok ? "a thread that runs can be stopped for a moment"
                             : fmt::format("threads that run cannot be stopped: {}", stopped.error().message);
  });
  if (!check.ok) check.fix = kContainerFix + "; --stop never reads sleeping threads even so";
  return check;
}

Check check_sleep_times(const ProcFiles& proc) {
  const auto sched = proc.read("thread-self/sched", 1UL << 16);
  Check check{.name = "sleep times", .ok = sched && parse_exec_start_ms(*sched)};
  check.finding =
      check.ok ? "the kernel says when a thread last ran" : "the kernel does not say when a thread last ran";
  if (!check.ok)
    check.fix = "a kernel with CONFIG_SCHED_DEBUG; until then ages come from the samples: use a longer --gap";
  return check;
}

Check check_deleted_files(const ProcFiles& proc) {
  const TracerRights rights = read_tracer_rights(proc);
  constexpr int kCapSysAdmin = 21;
  constexpr int kCapCheckpointRestore = 40;
  Check check{.name = "deleted files",
              .ok = rights.has_capability(kCapSysAdmin) || rights.has_capability(kCapCheckpointRestore)};
  check.finding = check.ok ? "libraries that were replaced on disk are readable from /proc/PID/map_files"
                           : "libraries that were replaced on disk since the start have no names";
  if (!check.ok) check.fix = "sudo hangstack, if frames show deleted files";
  return check;
}

Check check_place(const ProcFiles& proc) {
  Check check{.name = "place", .ok = true};
  std::string container;
  for (const auto& [file, name] : {std::pair{"/.dockerenv", "docker"}, {"/run/.containerenv", "podman"}})
    if (::access(file, F_OK) == 0) container = name;
  if (std::getenv("KUBERNETES_SERVICE_HOST") != nullptr) container = "Kubernetes";
  const auto status = proc.read("self/status").and_then(parse_status);
  const bool nested = status && status->ns_pids.size() > 1;
  const auto mounts = proc.read("self/mounts", 1UL << 20);
  const bool hidden = mounts && (mounts->find("hidepid=2") != std::string::npos ||
                                 mounts->find("hidepid=invisible") != std::string::npos ||
                                 mounts->find("hidepid=1") != std::string::npos);
  if (hidden) {
    check.ok = false;
    check.finding = "/proc is mounted with hidepid: processes of other users do not show";
    check.fix = "sudo hangstack";
  } else if (!container.empty() || nested) {
    check.finding = fmt::format(
        "runs inside a container ({}): only processes of its pid namespace show; shareProcessNamespace or hostPID in "
        "Kubernetes, --pid=host with docker show others",
        container.empty() ? "a pid namespace of its own" : container);
  } else {
    check.finding = "runs on the host";
  }
  return check;
}

}  // namespace

std::vector<Check> examine_host(const ProcFiles& proc) {
  const ReapableChildren reapable;
  const TracerRights rights = read_tracer_rights(proc);
  std::vector<Check> checks{check_rights(rights), check_yama(proc, rights), check_seccomp(rights)};
  const TrialProcess trial;
  if (trial.pid() == 0) {
    checks.push_back({.name = "trial process",
                      .needed = true,
                      .finding = "no child process could be made",
                      .fix = "raise the limit on processes (ulimit -u)"});
  } else {
    const auto line = wait_for_line(proc, trial.pid());
    checks.push_back(check_look(line));
    checks.push_back(check_memory(proc, trial.pid(), line ? line->stack_pointer : 0));
    checks.push_back(check_ptrace(trial.pid()));
  }
  checks.push_back(check_sleep_times(proc));
  checks.push_back(check_deleted_files(proc));
  checks.push_back(check_place(proc));
  return checks;
}

}  // namespace hangstack::sampler
