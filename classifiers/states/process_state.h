#pragma once
// A process: its threads with their roles, states and movement, and the one that stands for what it waits in.

#include <cstddef>
#include <optional>
#include <vector>

#include "classifiers/normalize/frames.h"
#include "classifiers/normalize/thread_roles.h"
#include "classifiers/states/movement.h"
#include "classifiers/states/operations.h"
#include "classifiers/states/state.h"
#include "model/diagnosis.h"

namespace hangstack::classifiers {

struct ThreadFacts {
  ThreadView view;
  ThreadRole role;
  ThreadState state;
  Movement movement;
  std::optional<double> asleep_s;  ///< since it last ran; being stopped by hangstack is no run
  std::optional<Operation> gloo;   ///< what a gloo worker carries out
};

/// One process over its samples. Points into the history and the name table; both must outlive it, and the threads
/// of the last sample must stay where they are.
struct ProcessFacts {
  model::ProcessHistory* history = nullptr;
  std::vector<ThreadFacts> threads;  ///< of the last sample, in its order
  std::optional<std::size_t> main;
  std::optional<std::size_t> blocking;  ///< none if the process has no thread
  std::optional<bool> moved;            ///< the main or the blocking thread, or what the process records
  bool recorded_progress = false;       ///< by its flight recorders, what it waits for changed between the samples
  bool launched_more = false;           ///< by NCCL\'s counts, it launched collectives between the samples
  bool same_place = true;               ///< it moved, but within the same functions
  bool napped = false;
  std::optional<double> asleep_s;   ///< of the blocking thread; none for one that naps
  std::optional<double> pending_s;  ///< age of its oldest unfinished collective, by its flight recorders

  [[nodiscard]] const model::ProcessSnapshot& last() const { return history->samples.back(); }
  [[nodiscard]] const ThreadFacts* blocking_thread() const { return blocking ? &threads[*blocking] : nullptr; }
  [[nodiscard]] const ThreadState& state() const;
  /// Threads other than the blocking one that carry out a communication operation.
  [[nodiscard]] std::vector<const ThreadFacts*> pending_threads() const;
};

/// The main thread, unless it waits for another thread of the process (a queue, a future, autograd), or sleeps, while
/// another one is in a communication operation or waits for the device; a joined thread stands for its waiter too.
ProcessFacts process_facts(model::ProcessHistory& history, NameTable& names);

/// Writes role, suppressed, blocking, moved and the time asleep into the threads of the last sample.
void mark_threads(const ProcessFacts& facts);

}  // namespace hangstack::classifiers
