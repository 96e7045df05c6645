#include "sampler/stop/wait.h"

#include <sched.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <ctime>

namespace hangstack::sampler {
namespace {

constexpr int kYields = 200;  // about 100 us on an idle machine
constexpr long kFirstNapNs = 20'000;
constexpr long kLongestNapNs = 1'000'000;

WaitResult judge(int status) {
  if (!WIFSTOPPED(status)) return {WaitOutcome::ended, 0};
  // wait status of a PTRACE_EVENT_STOP: the event in bits 16 and up (ptrace(2)). Anything else is a signal's delivery.
  const bool asked = (status >> 16) == PTRACE_EVENT_STOP;
  return {WaitOutcome::stopped, asked ? 0 : WSTOPSIG(status)};
}

}  // namespace

WaitResult wait_for_stop(std::int32_t tid, std::chrono::steady_clock::time_point deadline) {
  long nap_ns = kFirstNapNs;
  for (int round = 0;; ++round) {
    int status = 0;
    const pid_t found = ::waitpid(tid, &status, __WALL | WNOHANG);
    if (found == tid) return judge(status);
    if (found < 0 && errno != EINTR) return {WaitOutcome::ended, 0};
    if (std::chrono::steady_clock::now() >= deadline) return {WaitOutcome::timed_out, 0};
    if (round < kYields) {
      ::sched_yield();
    } else {
      const timespec nap{0, nap_ns};
      ::nanosleep(&nap, nullptr);
      nap_ns = std::min(nap_ns * 2, kLongestNapNs);
    }
  }
}

}  // namespace hangstack::sampler
