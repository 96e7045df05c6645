#include "classifiers/evidence/inside_process.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "classifiers/fold/lock_cycles.h"
#include "model/without_numbers.h"

namespace hangstack::classifiers {
namespace {

using model::Observation;
using model::RankSet;

std::string thread_text(const ThreadFacts& thread) {
  const auto& raw = *thread.view.thread;
  const std::string& name = !raw.python_name.empty()   ? raw.python_name
                            : thread.role.name.empty() ? raw.name
                                                       : thread.role.name;
  return fmt::format("thread {} ({})", raw.tid, name);
}

std::string state_text(const ThreadState& state) {
  std::string text = state_phrase(state.kind, state.title);
  if (state.site) text += " at " + state.site->text();
  return text;
}

}  // namespace

std::vector<Observation> gil_facts(const JobFacts& job) {
  std::vector<Observation> out;
  for (const auto& rank : job.ranks) {
    const ThreadFacts* holder = holder_of_gil(*rank.process);
    if (holder == nullptr || holder->state.kind == StateKind::running) continue;
    const auto& threads = rank.process->threads;
    const auto waiters = std::count_if(threads.begin(), threads.end(), [](const ThreadFacts& thread) {
      return thread.state.beneath == StateKind::gil;
    });
    if (waiters == 0) continue;
    const auto first = std::find_if(threads.begin(), threads.end(),
                                    [](const ThreadFacts& thread) { return thread.state.beneath == StateKind::gil; });
    const std::string who = waiters == 1 ? thread_text(*first) + " waits"
                                         : fmt::format("{} and {} more wait", thread_text(*first), waiters - 1);
    out.push_back(
        {fmt::format("{} for the GIL, which {} holds; it {}", who, thread_text(*holder), state_text(holder->state)),
         RankSet{rank.number}, "stacks and interpreter state"});
    if (out.size() == 8) break;
  }
  return out;
}

std::vector<Observation> held_mutexes(const JobFacts& job) {
  std::vector<Observation> out;
  for (const auto& rank : job.ranks) {
    for (const auto& thread : rank.process->threads) {
      if (thread.view.thread->lock_holder_tid == 0) continue;
      const ThreadFacts* holder = holder_of_lock(*rank.process, thread);
      if (holder == nullptr) continue;
      const std::string site = thread.state.site ? " at " + thread.state.site->text() : std::string();
      out.push_back({holder == &thread
                         ? fmt::format("{} waits{} for a mutex that it holds itself", thread_text(thread), site)
                         : fmt::format("{} waits{} for a mutex that {} holds; that one {}", thread_text(thread), site,
                                       thread_text(*holder), state_text(holder->state)),
                     RankSet{rank.number}, "the mutex in memory"});
      if (out.size() == 8) return out;
    }
  }
  return out;
}

std::vector<Observation> shared_locks(const JobFacts& job) {
  std::vector<Observation> out;
  for (const auto& rank : job.ranks) {
    std::map<std::uint64_t, std::vector<const ThreadFacts*>> waiters;
    for (const auto& thread : rank.process->threads) {
      const auto& raw = *thread.view.thread;
      // Idle workers of one queue share its lock, too.
      const bool idle = thread.role.idle || thread.state.kind == StateKind::queue;
      const bool lock =
          !idle && thread.state.beneath == StateKind::lock && raw.syscall_name == "futex" && raw.lock_holder_tid == 0;
      if (lock && raw.syscall && !raw.syscall->arguments.empty()) waiters[raw.syscall->arguments[0]].push_back(&thread);
    }
    for (const auto& [address, threads] : waiters) {
      if (threads.size() < 2 || address == 0) continue;
      out.push_back({fmt::format("{} threads wait for the lock at {:#x}, among them {} and {}", threads.size(), address,
                                 thread_text(*threads[0]), thread_text(*threads[1])),
                     RankSet{rank.number}, "/proc"});
    }
    if (out.size() >= 8) break;
  }
  return out;
}

std::vector<Observation> other_threads(const JobFacts& job) {
  struct Alike {
    std::string name;
    std::string state;
    std::size_t count = 0;
    RankSet ranks;
  };
  std::map<std::string, Alike> found;  // by name without numbers, and state
  for (const auto& rank : job.ranks) {
    const auto& process = *rank.process;
    for (std::size_t i = 0; i < process.threads.size(); ++i) {
      const auto& thread = process.threads[i];
      if (i == process.blocking || thread.role.idle || thread.gloo || !thread.view.has_python()) continue;
      const auto& raw = *thread.view.thread;
      const std::string& known = raw.python_name.empty() ? thread.role.name : raw.python_name;
      const std::string& name = known.empty() ? raw.name : known;
      std::string state = state_text(thread.state);
      Alike& alike = found[model::without_numbers(name) + '\n' + state];
      if (alike.count++ == 0) {
        alike.name = name;
        alike.state = std::move(state);
      }
      alike.ranks.insert(rank.number);
    }
  }
  std::vector<Observation> out;
  for (const auto& [key, alike] : found) {
    if (out.size() == 6) break;
    out.push_back({alike.count == 1 ? fmt::format("thread {} {}", alike.name, alike.state)
                                    : fmt::format("{} threads like {}: each {}", alike.count, alike.name, alike.state),
                   alike.ranks, "stacks"});
  }
  return out;
}

}  // namespace hangstack::classifiers
