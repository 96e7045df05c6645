#include "sampler/stop/stop_all.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

#include "sampler/stop/hold_alarm.h"
#include "sampler/stop/rehearsal.h"
#include "sampler/stop/stop_thread.h"
#include "sampler/stop/tracee.h"
#include "sampler/stop/tracer_thread.h"
#include "sampler/stop/wait.h"

namespace hangstack::sampler {
namespace {

using model::Register;
using model::ThreadCapture;

constexpr int kMaxRounds = 50;                       // a process that makes threads faster than they can be stopped
constexpr std::size_t kSpareStackBytes = 1UL << 20;  ///< for threads that run, are born, or go deeper meanwhile
constexpr std::size_t kHeapBytes = 256UL << 10;
constexpr std::size_t kHeapBytesPerThread = 2UL << 10;

struct Held {
  Tracee tracee;
  std::size_t index;  ///< into the threads
  StoppedRegisters state;
  StackCopy stack;
  bool inspected = false;
  RecordingMemory::Pages pages;
};

class StopAll {
 public:
  StopAll(const ProcFiles& proc, std::int32_t pid, std::vector<ThreadCapture>& threads,
          const std::vector<std::int32_t>& others, const Rehearsal& rehearsal, ThreadWindow& window,
          std::size_t stack_bytes)
      : proc_(proc),
        task_folder_(fmt::format("{}/task", pid)),
        threads_(threads),
        known_(others.begin(), others.end()),
        rehearsal_(rehearsal),
        window_(window),
        stack_bytes_(stack_bytes) {
    held_.reserve(threads.size() + 64);
    threads_.reserve(threads.size() + 64);
  }

  void run() {
    std::vector<std::size_t> fresh(threads_.size());
    std::iota(fresh.begin(), fresh.end(), 0U);
    for (int round = 0; round < kMaxRounds && !fresh.empty(); ++round) {
      stop(fresh);
      fresh = find_new();
    }
    copy();
    inspect_changed();
    release();
  }

  /// After `run`, when nothing is held any more.
  StopAllResult finish() {
    inspect_others();
    keep();
    return std::move(result_);
  }

 private:
  void stop(const std::vector<std::size_t>& fresh) {
    const std::size_t first = held_.size();
    for (const std::size_t index : fresh) {
      const std::int32_t tid = threads_[index].tid;
      known_.insert(tid);
      if (held_.empty()) since_ = SteadyClock::now();
      auto tracee = Tracee::seize(tid);
      if (tracee) {
        held_.push_back({std::move(*tracee), index, {}, {}, false, {}});
      } else {
        failed(index, tracee.error());
      }
    }
    const auto deadline = SteadyClock::now() + kStopPatience;
    for (std::size_t i = first; i < held_.size(); ++i) {
      const auto stopped = held_[i].tracee.wait_until_stopped(deadline, kWaitForSleeping);
      std::optional<StoppedRegisters> state;
      if (stopped) state = held_[i].tracee.registers();
      if (state) {
        held_[i].state = *state;
      } else {
        failed(held_[i].index, stopped ? model::Error{model::ErrorCode::vanished, {}, {}} : stopped.error());
        late_.push_back(std::move(held_[i].tracee));
      }
    }
    std::erase_if(held_, [](const Held& held) { return held.state.registers.known_mask() == 0; });
  }

  void failed(std::size_t index, const model::Error& error) {
    const bool ended = error.code == model::ErrorCode::vanished;
    (ended ? result_.ended : result_.not_stopped).push_back(threads_[index].tid);
    if (!ended) threads_[index].problems.push_back(error);
  }

  std::vector<std::size_t> find_new() {
    std::vector<std::size_t> fresh;
    const auto tids = proc_.list_numbers(task_folder_);
    if (!tids) return fresh;
    for (const std::int32_t tid : *tids) {
      if (known_.contains(tid)) continue;
      fresh.push_back(threads_.size());
      threads_.emplace_back().tid = tid;
      result_.new_threads.push_back(tid);
    }
    return fresh;
  }

  void copy() {
    std::vector<std::uint64_t> stack_pointers;
    stack_pointers.reserve(held_.size());
    for (const Held& held : held_) stack_pointers.push_back(held.state.registers.get(Register::rsp).value_or(0));
    const auto stacks = window_.copy_stacks(stack_pointers, stack_bytes_);
    for (std::size_t i = 0; i < held_.size(); ++i) held_[i].stack = stacks[i];
    if (recording() != nullptr) recording()->freeze();
  }

  [[nodiscard]] RecordingMemory* recording() const { return window_.sources().recording; }

  void inspect(Held& held) {
    ThreadCapture& thread = threads_[held.index];
    held.state.give_to(thread);
    held.pages = window_.inspect(thread, held.stack);
    held.inspected = true;
  }

  /// Of the other threads, all that the inspector will ask for is read already.
  void inspect_changed() {
    if (recording() == nullptr) return;
    const auto changed_pages = recording()->changed(rehearsal_.pages());
    for (Held& held : held_)
      if (!rehearsal_.is_unchanged(held.index, held.state.registers, held.stack, changed_pages)) inspect(held);
  }

  void inspect_others() {
    if (recording() != nullptr) recording()->seal();
    for (Held& held : held_)
      if (!held.inspected) inspect(held);
    if (recording() != nullptr) recording()->thaw();
  }

  void release() {
    for (Held& held : held_) threads_[held.index].stopped_us = held.tracee.release();
    late_.clear();
    if (!held_.empty())
      result_.stopped_us = std::chrono::duration<double, std::micro>(SteadyClock::now() - since_).count();
  }

  void keep() {
    for (const Held& held : held_) {
      ThreadCapture& thread = threads_[held.index];
      thread.method = model::CaptureMethod::stopped;
      ThreadWindow::keep(thread, held.stack, held.pages);
    }
  }

  const ProcFiles& proc_;
  std::string task_folder_;
  std::vector<ThreadCapture>& threads_;
  std::set<std::int32_t> known_;
  const Rehearsal& rehearsal_;
  ThreadWindow& window_;
  std::size_t stack_bytes_;
  std::vector<Held> held_;
  std::vector<Tracee> late_;
  SteadyClock::time_point since_;
  StopAllResult result_;
};

}  // namespace

StopAllResult stop_all(const ProcFiles& proc, std::int32_t pid, std::vector<ThreadCapture>& threads,
                       const std::vector<std::int32_t>& others, ThreadWindow& window, std::size_t stack_bytes) {
  window.reset();
  const Rehearsal rehearsal(proc, pid, threads, window, stack_bytes);
  const auto& sources = window.sources();
  if (sources.recording != nullptr) sources.recording->expect(rehearsal.pages());
  ThreadWindow held_window(sources, kSpareStackBytes + rehearsal.copied_bytes());
  make_heap_ready(kHeapBytes + threads.size() * kHeapBytesPerThread);
  StopAll work(proc, pid, threads, others, rehearsal, held_window, stack_bytes);
  run_as_tracer([&] {
    const HoldAlarm alarm(kLongestHold);
    work.run();
  });
  return work.finish();
}

}  // namespace hangstack::sampler
