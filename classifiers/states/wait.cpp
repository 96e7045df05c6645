#include "classifiers/states/wait.h"

#include <algorithm>
#include <array>

namespace hangstack::classifiers {
namespace {

struct Call {
  std::string_view name;
  WaitKind kind;
};

constexpr auto kCalls = std::to_array<Call>({{"futex", WaitKind::futex},
                                             {"futex_wait", WaitKind::futex},
                                             {"pthread_cond_wait", WaitKind::futex_condition},
                                             {"pthread_cond_timedwait", WaitKind::futex_condition},
                                             {"pthread_mutex_lock", WaitKind::futex_lock},
                                             {"pthread_mutex_timedlock", WaitKind::futex_lock},
                                             {"lll_lock_wait", WaitKind::futex_lock},
                                             {"pthread_rwlock_wrlock", WaitKind::futex_lock},
                                             {"pthread_rwlock_rdlock", WaitKind::futex_lock},
                                             {"sem_wait", WaitKind::semaphore},
                                             {"sem_timedwait", WaitKind::semaphore},
                                             {"pthread_join", WaitKind::thread_join},
                                             {"nanosleep", WaitKind::sleep},
                                             {"clock_nanosleep", WaitKind::sleep},
                                             {"usleep", WaitKind::sleep},
                                             {"sleep", WaitKind::sleep},
                                             {"pause", WaitKind::other},
                                             {"poll", WaitKind::poll},
                                             {"ppoll", WaitKind::poll},
                                             {"select", WaitKind::poll},
                                             {"pselect", WaitKind::poll},
                                             {"pselect6", WaitKind::poll},
                                             {"epoll_wait", WaitKind::poll},
                                             {"epoll_pwait", WaitKind::poll},
                                             {"epoll_pwait2", WaitKind::poll},
                                             {"read", WaitKind::transfer},
                                             {"pread64", WaitKind::transfer},
                                             {"readv", WaitKind::transfer},
                                             {"write", WaitKind::transfer},
                                             {"writev", WaitKind::transfer},
                                             {"recv", WaitKind::transfer},
                                             {"recvfrom", WaitKind::transfer},
                                             {"recvmsg", WaitKind::transfer},
                                             {"send", WaitKind::transfer},
                                             {"sendto", WaitKind::transfer},
                                             {"sendmsg", WaitKind::transfer},
                                             {"fsync", WaitKind::transfer},
                                             {"fdatasync", WaitKind::transfer},
                                             {"getdents64", WaitKind::transfer},
                                             {"openat", WaitKind::other},
                                             {"accept", WaitKind::connect},
                                             {"accept4", WaitKind::connect},
                                             {"connect", WaitKind::connect},
                                             {"wait4", WaitKind::child},
                                             {"waitpid", WaitKind::child},
                                             {"waitid", WaitKind::child},
                                             {"vfork", WaitKind::child},
                                             {"flock", WaitKind::file_lock},
                                             {"fcntl", WaitKind::file_lock},
                                             {"fcntl64", WaitKind::file_lock},
                                             {"sched_yield", WaitKind::yield},
                                             {"ioctl", WaitKind::other},
                                             {"sigwait", WaitKind::other},
                                             {"rt_sigtimedwait", WaitKind::other},
                                             {"sigtimedwait", WaitKind::other},
                                             {"semop", WaitKind::other},
                                             {"semtimedop", WaitKind::other},
                                             {"msgrcv", WaitKind::other}});

WaitKind kind_of_call(std::string_view name) {
  const auto* const found =
      std::find_if(kCalls.begin(), kCalls.end(), [&](const Call& call) { return call.name == name; });
  return found == kCalls.end() ? WaitKind::none : found->kind;
}

bool name_has_limit(std::string_view name) {
  return name.find("timedwait") != std::string_view::npos || name.find("timedlock") != std::string_view::npos ||
         name == "sem_timedwait" || kind_of_call(name) == WaitKind::sleep || name == "sched_yield" ||
         name == "clock_gettime";
}

/// From the system call's arguments, where the kernel shows them.
std::optional<bool> arguments_have_limit(const model::Thread& thread) {
  if (!thread.syscall || thread.syscall->arguments.size() < 6) return std::nullopt;
  const auto& argument = thread.syscall->arguments;
  const auto& name = thread.syscall_name;
  if (name == "futex") return argument[3] != 0;
  if (name == "poll") return static_cast<std::int32_t>(argument[2]) >= 0;
  if (name == "ppoll") return argument[2] != 0;
  if (name == "epoll_wait" || name == "epoll_pwait") return static_cast<std::int32_t>(argument[3]) >= 0;
  if (name == "select" || name == "pselect6") return argument[4] != 0;
  if (name == "nanosleep" || name == "clock_nanosleep" || name == "sched_yield") return true;
  return std::nullopt;
}

/// A select on no descriptor is a sleep: time.sleep of CPython until 3.10 (Modules/timemodule.c, pysleep).
bool waits_for_nothing(const model::Thread& thread) {
  const bool selects = thread.syscall_name == "select" || thread.syscall_name == "pselect6";
  return selects && thread.syscall && !thread.syscall->arguments.empty() && thread.syscall->arguments[0] == 0;
}

bool takes_descriptor(WaitKind kind, std::string_view call) {
  return kind == WaitKind::transfer || kind == WaitKind::connect || call == "epoll_wait" || call == "epoll_pwait" ||
         call == "ioctl" || call == "flock" || call == "fcntl";
}

}  // namespace

Wait wait_of(const ThreadView& view) {
  const model::Thread& thread = *view.thread;
  Wait wait;
  bool named_limit = false;
  for (std::size_t i = 0; i < view.names.size(); ++i) {
    const auto name = view.names[i];
    if (view.is_python(i) || !is_wait_plumbing(name, view.frame(i).module)) break;
    named_limit = named_limit || name_has_limit(name);
    const WaitKind kind = kind_of_call(name);
    if (kind == WaitKind::none) continue;
    // The outer name says more: pthread_cond_wait around futex_wait, usleep around clock_nanosleep.
    if (wait.kind == WaitKind::none || wait.kind == WaitKind::futex || kind != WaitKind::futex) wait.kind = kind;
    if (wait.call.empty()) wait.call = std::string(name);
    wait.function = std::string(name);
  }
  if (thread.kernel_state != 'R' && !thread.syscall_name.empty()) {
    const WaitKind kind = kind_of_call(thread.syscall_name);
    if (wait.kind == WaitKind::none) wait.kind = kind == WaitKind::none ? WaitKind::other : kind;
    if (wait.kind == WaitKind::poll && waits_for_nothing(thread)) wait.kind = WaitKind::sleep;
    // A wait with a time limit that a stop interrupted goes on as restart_syscall: only its frames name it.
    const bool restarted = thread.syscall_name == "restart_syscall";
    named_limit = named_limit || restarted;
    if (!restarted || wait.call.empty()) wait.call = thread.syscall_name;
    if (thread.syscall && !thread.syscall->arguments.empty() && takes_descriptor(wait.kind, wait.call)) {
      wait.fd = static_cast<std::int32_t>(thread.syscall->arguments[0]);
    }
  }
  wait.timed = wait.kind == WaitKind::yield || arguments_have_limit(thread).value_or(named_limit);
  return wait;
}

}  // namespace hangstack::classifiers
