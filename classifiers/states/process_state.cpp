#include "classifiers/states/process_state.h"

#include <algorithm>

#include "classifiers/states/recorded_progress.h"
#include "classifiers/states/thread_state.h"

namespace hangstack::classifiers {
namespace {

using model::ProcessHistory;
using model::ProcessSnapshot;
using model::Thread;

const Thread* thread_with(const ProcessSnapshot& process, std::int32_t tid) {
  const auto found = std::find_if(process.threads.begin(), process.threads.end(),
                                  [&](const Thread& thread) { return thread.tid == tid; });
  return found == process.threads.end() ? nullptr : &*found;
}

/// A stop of our own was the last that made it run.
bool was_disturbed(const Thread& thread) {
  return thread.method == model::CaptureMethod::stopped || thread.clocks_after_stop.has_value();
}

double seconds_between(const ProcessSnapshot& before, const ProcessSnapshot& after) {
  return static_cast<double>(after.captured_at_unix_ns - before.captured_at_unix_ns) / 1e9;
}

/// How long `after` has slept, if it slept for `slept_before` at the sample before this one.
std::optional<double> sleep_of(const Thread& after, std::optional<double> slept_before, double between_s) {
  const auto& own = after.clocks.asleep_s;
  if (!slept_before || between_s < 0) return own;
  return std::max(own.value_or(0), *slept_before + between_s);
}

/// Movement over all samples: moved once is moved. A thread that is new in the last sample has moved by being there.
void judge_past(const ProcessHistory& history, ThreadFacts& facts, NameTable& names) {
  Movement& sum = facts.movement;
  std::optional<double> slept;
  for (std::size_t i = 1; i < history.samples.size(); ++i) {
    const auto& before = history.samples[i - 1];
    const auto& after = history.samples[i];
    if (before.start_time_ticks != after.start_time_ticks) continue;
    const Thread* a = thread_with(before, facts.view.thread->tid);
    const Thread* b = thread_with(after, facts.view.thread->tid);
    if (b == nullptr) continue;
    if (a == nullptr) {
      slept.reset();
      sum.moved = true;
      sum.same_place = false;
      continue;
    }
    const bool last = i + 1 == history.samples.size();
    const ThreadView old_view = view_of(*a, names);
    const ThreadView new_view = last ? ThreadView{} : view_of(*b, names);
    const Movement step = movement_between(old_view, last ? facts.view : new_view, facts.state);
    if (step.moved) sum.moved = sum.moved.value_or(false) || *step.moved;
    sum.napped = sum.napped || step.napped;
    sum.same_place = sum.same_place && step.same_place;
    if (!slept) slept = a->clocks.asleep_s;
    const bool rested = was_disturbed(*a) && step.moved == std::optional<bool>(false) && !step.napped;
    slept = sleep_of(*b, rested ? slept : std::nullopt, seconds_between(before, after));
  }
  facts.asleep_s = slept ? slept : facts.view.thread->clocks.asleep_s;
}

/// How much a thread other than the main one says about why its process waits; 0: nothing.
int weight(const ThreadFacts& facts) {
  if (facts.role.idle || facts.gloo) return 0;
  const StateKind kind = facts.state.beneath;
  if (kind == StateKind::teardown) return 9;
  if (kind == StateKind::collective || kind == StateKind::p2p || kind == StateKind::setup) return 8;
  if (kind == StateKind::device) return 6;
  return 0;
}

/// For a main thread that waits explicitly for another one: the one that runs the user's code.
int weight_of_joined(const ThreadFacts& facts) {
  if (facts.role.idle || !facts.view.has_user_code()) return 0;
  const StateKind kind = facts.state.beneath;
  if (kind == StateKind::unknown || waits_for_thread(kind)) return 1;
  return 5;
}

bool has_ended(const ThreadFacts& facts) { return facts.state.kind == StateKind::dead; }

bool joins(StateKind kind) {
  return kind == StateKind::join || kind == StateKind::backward || kind == StateKind::exiting;
}

std::optional<std::size_t> choose_blocking(const ProcessFacts& process) {
  if (process.threads.empty()) return std::nullopt;
  std::size_t main = process.main.value_or(0);
  // A main thread may end before the others: its process lives on.
  for (std::size_t i = 0; i < process.threads.size() && has_ended(process.threads[main]); ++i) {
    if (!has_ended(process.threads[i]) && !process.threads[i].role.idle) main = i;
  }
  const StateKind kind = process.threads[main].state.beneath;
  const bool yields_to_others = waits_for_thread(kind) || kind == StateKind::sleep || kind == StateKind::exiting ||
                                kind == StateKind::unknown || kind == StateKind::gil;
  if (!yields_to_others) return main;
  std::size_t best = main;
  int best_weight = 0;
  for (std::size_t i = 0; i < process.threads.size(); ++i) {
    if (i == main) continue;
    const auto& thread = process.threads[i];
    const int candidate = std::max(weight(thread), joins(kind) ? weight_of_joined(thread) : 0);
    if (candidate > best_weight) {
      best = i;
      best_weight = candidate;
    }
  }
  return best;
}

/// `c10d::Work::wait` does not name its operation: the gloo worker that carries it out does.
void name_pending_work(ProcessFacts& process) {
  if (!process.blocking) return;
  ThreadState& state = process.threads[*process.blocking].state;
  if (state.beneath != StateKind::collective || !state.operation.empty()) return;
  for (const auto& thread : process.threads) {
    if (!thread.gloo || thread.gloo->name.empty()) continue;
    state.operation = thread.gloo->name;
    state.title = thread.gloo->name;
    return;
  }
}

/// Only of one that waits for peers or the device: an operation that ends while its rank is elsewhere is the device's
/// progress, not the rank's.
void judge_records(ProcessFacts& process) {
  const auto& samples = process.history->samples;
  process.pending_s = pending_age_s(samples.back());
  const StateKind kind = process.state().beneath;
  if (!waits_for_peers(kind) && kind != StateKind::device) return;
  for (std::size_t i = 1; i < samples.size(); ++i) {
    if (samples[i - 1].start_time_ticks != samples[i].start_time_ticks) continue;
    process.recorded_progress |= progressed_between(samples[i - 1], samples[i]).value_or(false);
    // What a flight recorder has unfinished is what it waits for: then launches say nothing.
    process.launched_more |= !pending_age_s(samples[i - 1]) && launched_between(samples[i - 1], samples[i]);
  }
}

void judge_movement(ProcessFacts& process) {
  const ThreadFacts* blocking = process.blocking_thread();
  if (blocking == nullptr) return;
  process.moved = blocking->movement.moved;
  process.napped = blocking->movement.napped;
  process.same_place = blocking->movement.same_place;
  if (process.main && *process.main != *process.blocking) {
    const Movement& main = process.threads[*process.main].movement;
    if (main.moved.value_or(false)) process.moved = true;
    process.same_place = process.same_place && main.same_place;
  }
  if (process.recorded_progress || process.launched_more) {
    process.moved = true;
    process.same_place = false;
  }
  if (!process.napped && !process.moved.value_or(false)) process.asleep_s = blocking->asleep_s;
}

}  // namespace

const ThreadState& ProcessFacts::state() const {
  static const ThreadState kNone;
  return blocking ? threads[*blocking].state : kNone;
}

std::vector<const ThreadFacts*> ProcessFacts::pending_threads() const {
  std::vector<const ThreadFacts*> out;
  for (std::size_t i = 0; i < threads.size(); ++i) {
    const auto& thread = threads[i];
    if (i == blocking || thread.role.idle) continue;
    if (thread.gloo || waits_for_peers(thread.state.beneath)) out.push_back(&thread);
  }
  return out;
}

ProcessFacts process_facts(ProcessHistory& history, NameTable& names) {
  ProcessFacts process;
  process.history = &history;
  if (history.samples.empty()) return process;
  ProcessSnapshot& last = history.samples.back();
  process.threads.reserve(last.threads.size());
  for (const Thread& thread : last.threads) {
    ThreadFacts facts;
    facts.view = view_of(thread, names);
    facts.role = role_of(facts.view, last.pid);
    facts.gloo = gloo_worker_operation(facts.view);
    facts.state = state_of(facts.view);
    judge_past(history, facts, names);
    if (thread.tid == last.pid) process.main = process.threads.size();
    process.threads.push_back(std::move(facts));
  }
  process.blocking = choose_blocking(process);
  name_pending_work(process);
  judge_records(process);
  judge_movement(process);
  return process;
}

void mark_threads(const ProcessFacts& facts) {
  auto& threads = facts.history->samples.back().threads;
  for (std::size_t i = 0; i < facts.threads.size() && i < threads.size(); ++i) {
    const ThreadFacts& judged = facts.threads[i];
    threads[i].role = judged.role.name;
    threads[i].suppressed = judged.role.idle && i != facts.blocking;
    threads[i].blocking = i == facts.blocking;
    threads[i].moved = judged.movement.moved;
    threads[i].clocks.asleep_s = judged.asleep_s;
  }
}

}  // namespace hangstack::classifiers
