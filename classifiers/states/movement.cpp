#include "classifiers/states/movement.h"

#include <algorithm>
#include <vector>

#include "model/file_path.h"

namespace hangstack::classifiers {
namespace {

using model::CaptureMethod;
using model::Thread;

struct Key {
  std::string_view function;
  std::string_view where;      ///< file or module
  std::uint64_t position = 0;  ///< line or address; 0: not compared

  friend bool operator==(const Key&, const Key&) = default;
};

/// Waits that stand in several places of a library: addresses and inner names vary while nothing moves.
bool wanders(const ThreadState& state) {
  return state.kind == StateKind::device || state.kind == StateKind::gil || state.beneath == StateKind::device ||
         state.beneath == StateKind::gil || state.detail.starts_with("cu") || state.polls;
}

/// The stack without the wait itself and without plumbing, innermost first.
std::vector<Key> keys_of(const ThreadView& view, bool wandering) {
  std::vector<Key> keys;
  const bool python = view.has_python();
  bool in_wait = true;
  for (std::size_t i = 0; i < view.names.size(); ++i) {
    const auto& frame = view.frame(i);
    const auto name = view.names[i];
    if (view.is_python(i)) {
      in_wait = false;
      keys.push_back({name, frame.file, static_cast<std::uint64_t>(std::max(frame.line, 0))});
      continue;
    }
    in_wait = in_wait && is_wait_plumbing(name, frame.module);
    if (in_wait || is_start_plumbing(name, frame.module)) continue;
    // What an interpreter's loop calls of the system libraries now and then says nothing about where it is.
    if (python && (is_interpreter_plumbing(name, frame.module) || model::is_system_library(frame.module) || wandering))
      continue;
    keys.push_back({name, frame.module, wandering ? 0 : frame.address});
  }
  return keys;
}

bool same_functions(const std::vector<Key>& a, const std::vector<Key>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Key& x, const Key& y) { return x.function == y.function && x.where == y.where; });
}

/// An unwind that ended early in one sample says nothing about the frames beyond.
void cut_to_common(std::vector<Key>& a, std::vector<Key>& b, bool complete) {
  if (complete) return;
  const auto size = std::min(a.size(), b.size());
  a.resize(size);
  b.resize(size);
}

/// `a` as hangstack left the thread: a stop of its own makes it run, switch, and use time.
bool counters_differ(const Thread& a, const Thread& b) {
  const model::ThreadClocks& before = a.clocks_after_stop ? *a.clocks_after_stop : a.clocks;
  const model::ThreadClocks& after = b.clocks;
  if (before.user_ticks != after.user_ticks || before.system_ticks != after.system_ticks) return true;
  if (a.method == CaptureMethod::stopped && !a.clocks_after_stop) return false;
  return before.voluntary_switches != after.voluntary_switches ||
         before.nonvoluntary_switches != after.nonvoluntary_switches ||
         (before.run_count && after.run_count && before.run_count != after.run_count);
}

/// gloo's waits for a peer have a limit of many minutes: one that woke has received something.
bool wakes_only_for_news(const ThreadView& view) {
  return std::any_of(view.names.begin(), view.names.end(), [](std::string_view name) {
    return name.ends_with("UnboundBuffer::waitRecv") || name.ends_with("UnboundBuffer::waitSend");
  });
}

/// Of a running thread that was caught where nothing can be unwound.
bool says_where(const ThreadView& view) {
  return std::ranges::any_of(view.names, [](std::string_view name) { return !name.empty(); });
}

bool executes(StateKind kind) {
  return kind == StateKind::running || kind == StateKind::compile || kind == StateKind::import;
}

}  // namespace

Movement movement_between(const ThreadView& before, const ThreadView& after, const ThreadState& state) {
  const Thread& old_thread = *before.thread;
  const Thread& new_thread = *after.thread;
  const bool counters = counters_differ(old_thread, new_thread);
  Movement movement;
  if (!says_where(before) || !says_where(after)) {
    if (!counters) movement.moved = false;
    return movement;
  }
  const bool wandering = wanders(state);
  auto a = keys_of(before, wandering);
  auto b = keys_of(after, wandering);
  cut_to_common(a, b, old_thread.complete == new_thread.complete);
  movement.same_place = same_functions(a, b);
  const bool may_nap = state.wakes_by_itself && !wakes_only_for_news(after) && !executes(state.kind);
  movement.napped = a == b && counters && may_nap;
  movement.moved = a != b || (counters && !may_nap);
  return movement;
}

}  // namespace hangstack::classifiers
