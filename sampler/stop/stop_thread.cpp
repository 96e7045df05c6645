#include "sampler/stop/stop_thread.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "sampler/stop/hold_alarm.h"
#include "sampler/stop/tracee.h"
#include "sampler/stop/tracer_thread.h"
#include "sampler/stop/wait.h"

namespace hangstack::sampler {
namespace {

using model::Expected;
using model::Register;
using model::ThreadCapture;

constexpr std::size_t kHeapBytes = 128UL << 10;

/// Waits until `last`. The alarm is set anew again and again: it is for a thread that stands still.
Expected<void> wait_with_alarm(Tracee& tracee, SteadyClock::time_point last, HoldAlarm& alarm) {
  constexpr std::chrono::milliseconds kPiece{100};
  while (true) {
    alarm.restart(kLongestHold);
    const auto now = SteadyClock::now();
    auto stopped = tracee.wait_until_stopped(std::min<SteadyClock::time_point>(last, now + kPiece), kWaitForRunning);
    if (stopped || stopped.error().code != model::ErrorCode::timed_out || SteadyClock::now() >= last) return stopped;
  }
}

Expected<void> stop_and_copy(ThreadCapture& thread, ThreadWindow& window, std::size_t stack_bytes,
                             SteadyClock::time_point last, HoldAlarm& alarm) {
  auto tracee = Tracee::seize(thread.tid);
  if (!tracee) return tl::make_unexpected(tracee.error());
  if (auto stopped = wait_with_alarm(*tracee, last, alarm); !stopped) return tl::make_unexpected(stopped.error());
  const auto state = tracee->registers();
  if (!state) return model::failure(model::ErrorCode::vanished, fmt::format("thread {} was killed", thread.tid));
  state->give_to(thread);
  const std::uint64_t stack_pointer = state->registers.get(Register::rsp).value_or(0);
  const auto stack = window.copy_stacks(std::span(&stack_pointer, 1), stack_bytes).front();
  const auto pages = window.inspect(thread, stack);
  thread.stopped_us = tracee->release();
  thread.method = model::CaptureMethod::stopped;
  ThreadWindow::keep(thread, stack, pages);
  return {};
}

}  // namespace

Expected<void> stop_thread(ThreadCapture& thread, ThreadWindow& window, std::size_t stack_bytes,
                           std::chrono::milliseconds patience) {
  Expected<void> done;
  ThreadCapture stopped = thread;
  window.reset();
  make_heap_ready(kHeapBytes);
  run_as_tracer([&] {
    HoldAlarm alarm(kLongestHold);
    done = stop_and_copy(stopped, window, stack_bytes, SteadyClock::now() + patience, alarm);
  });
  if (done) thread = std::move(stopped);
  return done;
}

}  // namespace hangstack::sampler
