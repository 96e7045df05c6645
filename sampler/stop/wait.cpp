#include "sampler/stop/wait.h"

#include <sys/ptrace.h>
#include <sys/wait.h>

#include <cerrno>
#include <csignal>
#include <ctime>

namespace hangstack::sampler {
namespace {

constexpr long kLongestWaitNs = 1'000'000;

WaitResult judge(int status) {
  if (!WIFSTOPPED(status)) return {WaitOutcome::ended, 0};
  // wait status of a PTRACE_EVENT_STOP: the event in bits 16 and up (ptrace(2)). Anything else is a signal's delivery.
  const bool asked = (status >> 16) == PTRACE_EVENT_STOP;
  return {WaitOutcome::stopped, asked ? 0 : WSTOPSIG(status)};
}

}  // namespace

WaitResult wait_for_stop(std::int32_t tid, std::chrono::steady_clock::time_point deadline,
                         std::chrono::microseconds sleepless) {
  sigset_t child_changed;
  ::sigemptyset(&child_changed);
  ::sigaddset(&child_changed, SIGCHLD);
  const auto begin = std::chrono::steady_clock::now();
  while (true) {
    int status = 0;
    const pid_t found = ::waitpid(tid, &status, __WALL | WNOHANG);
    if (found == tid) return judge(status);
    if (found < 0 && errno != EINTR) return {WaitOutcome::ended, 0};
    const auto now = std::chrono::steady_clock::now();
    if (now >= deadline) return {WaitOutcome::timed_out, 0};
    if (now - begin < sleepless) continue;
    // The stop of a tracee sends SIGCHLD. Where it is not blocked it may be missed: then this is a nap.
    const timespec wait{0, kLongestWaitNs};
    ::sigtimedwait(&child_changed, nullptr, &wait);
  }
}

}  // namespace hangstack::sampler
