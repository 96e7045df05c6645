#include "classifiers/fold/lock_cycles.h"

#include <algorithm>
#include <cstdint>

namespace hangstack::classifiers {
namespace {

const ThreadFacts* thread_with(const ProcessFacts& process, std::int32_t tid) {
  const auto found =
      std::ranges::find_if(process.threads, [&](const ThreadFacts& thread) { return thread.view.thread->tid == tid; });
  return tid == 0 || found == process.threads.end() ? nullptr : &*found;
}

bool waits_for_gil(const ThreadFacts& thread) { return thread.state.beneath == StateKind::gil; }

/// The threads from `first` on, if following the holders leads back to it.
std::optional<LockCycle> cycle_from(const ProcessFacts& process, const ThreadFacts& first) {
  LockCycle cycle;
  for (const ThreadFacts* at = &first; at != nullptr; at = holder_of_lock(process, *at)) {
    if (at->movement.moved.value_or(false)) return std::nullopt;
    if (std::ranges::find(cycle.threads, at) != cycle.threads.end()) {
      if (at == &first) return cycle;
      return std::nullopt;
    }
    cycle.threads.push_back(at);
    cycle.through_gil = cycle.through_gil || waits_for_gil(*at);
  }
  return std::nullopt;
}

}  // namespace

const ThreadFacts* holder_of_gil(const ProcessFacts& process) {
  const auto held = std::ranges::find_if(
      process.threads, [](const ThreadFacts& thread) { return thread.view.thread->gil == model::GilState::holds; });
  if (held != process.threads.end()) return &*held;
  for (const auto& python : process.last().pythons) {
    if (const ThreadFacts* holder = thread_with(process, python.gil_holder_tid)) return holder;
  }
  return nullptr;
}

const ThreadFacts* holder_of_lock(const ProcessFacts& process, const ThreadFacts& thread) {
  if (waits_for_gil(thread)) return holder_of_gil(process);
  return thread_with(process, thread.view.thread->lock_holder_tid);
}

std::optional<LockCycle> lock_cycle_of(const ProcessFacts& process) {
  for (const ThreadFacts& thread : process.threads) {
    if (auto cycle = cycle_from(process, thread)) return cycle;
  }
  return std::nullopt;
}

}  // namespace hangstack::classifiers
