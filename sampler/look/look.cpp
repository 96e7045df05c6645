#include "sampler/look/look.h"

#include <utility>

#include "sampler/look/rest_mark.h"
#include "sampler/proc/thread_evidence.h"

namespace hangstack::sampler {
namespace {

using model::ThreadCapture;

/// The counters that the thread was listed with are of the same rest as `mark`.
bool is_of_same_rest(const ThreadCapture& thread, const RestMark& mark) {
  if (thread.kernel_state == 'R' || thread.syscall != mark.line.call) return false;
  if (mark.run_count) return thread.clocks.run_count == mark.run_count;
  return thread.clocks.voluntary_switches + thread.clocks.nonvoluntary_switches == mark.switches;
}

LookOutcome outcome_of(const model::Error& error, ThreadCapture& thread) {
  if (error.code == model::ErrorCode::vanished) return LookOutcome::ended;
  thread.problems.push_back(error);
  return LookOutcome::refused;
}

}  // namespace

LookOutcome look(const ProcFiles& proc, std::int32_t pid, ThreadCapture& thread, ThreadWindow& window,
                 std::size_t stack_bytes, RunQueueClock& clock) {
  const auto before = read_rest_mark(proc, pid, thread.tid);
  if (!before) return outcome_of(before.error(), thread);
  if (before->line.running) return LookOutcome::running;
  ThreadCapture seen = thread;
  if (!is_of_same_rest(thread, *before)) {
    auto evidence = read_thread_evidence(proc, pid, thread.tid, &clock);
    if (!evidence) return outcome_of(evidence.error(), thread);
    seen = std::move(*evidence);
  }
  seen.method = model::CaptureMethod::looked;
  seen.syscall = before->line.call;
  seen.registers = shown_registers(before->line);
  window.reset();
  const auto stack = window.copy_stacks(std::span(&before->line.stack_pointer, 1), stack_bytes).front();
  const auto pages = window.inspect(seen, stack);

  const auto after = read_rest_mark(proc, pid, thread.tid);
  if (!after) return outcome_of(after.error(), thread);
  if (*after != *before) {
    thread.syscall = before->line.call;
    return LookOutcome::moved;
  }
  ThreadWindow::keep(seen, stack, pages);
  thread = std::move(seen);
  return LookOutcome::seen;
}

}  // namespace hangstack::sampler
