#include <fmt/format.h>

#include <array>
#include <map>

#include "classifiers/evidence/observations.h"

namespace hangstack::classifiers {
namespace {

using model::Observation;
using model::RankSet;

/// signal(7), x86-64.
constexpr std::array<const char*, 32> kNames = {
    "",          "SIGHUP",  "SIGINT",    "SIGQUIT", "SIGILL",   "SIGTRAP", "SIGABRT", "SIGBUS",
    "SIGFPE",    "SIGKILL", "SIGUSR1",   "SIGSEGV", "SIGUSR2",  "SIGPIPE", "SIGALRM", "SIGTERM",
    "SIGSTKFLT", "SIGCHLD", "SIGCONT",   "SIGSTOP", "SIGTSTP",  "SIGTTIN", "SIGTTOU", "SIGURG",
    "SIGXCPU",   "SIGXFSZ", "SIGVTALRM", "SIGPROF", "SIGWINCH", "SIGIO",   "SIGPWR",  "SIGSYS"};

const char* why_undelivered(const ThreadState& state, bool blocked) {
  if (blocked) return "is blocked in the main thread's mask";
  switch (state.kind) {
    case StateKind::stopped:
    case StateKind::traced: return "cannot be delivered while the process is stopped";
    case StateKind::uninterruptible: return "cannot be delivered in D state";
    default: return "has not been taken yet";
  }
}

}  // namespace

std::vector<Observation> pending_signals(const JobFacts& job) {
  std::map<std::string, RankSet> found;
  for (const auto& rank : job.ranks) {
    const auto& process = *rank.process;
    if (!process.main) continue;
    const ThreadFacts& main = process.threads[*process.main];
    const auto& signals = main.view.thread->signals;
    const std::uint64_t waiting = (signals.pending_thread | signals.pending_process) & signals.caught;
    for (std::size_t n = 1; n < kNames.size(); ++n) {
      const std::uint64_t bit = std::uint64_t{1} << (n - 1);
      if ((waiting & bit) == 0) continue;
      found[fmt::format("{} has a handler and is pending, but {}: the handler has not run", kNames[n],
                        why_undelivered(main.state, (signals.blocked & bit) != 0))]
          .insert(rank.number);
    }
  }
  std::vector<Observation> out;
  for (const auto& [text, ranks] : found) out.push_back({text, ranks, "/proc"});
  return out;
}

}  // namespace hangstack::classifiers
