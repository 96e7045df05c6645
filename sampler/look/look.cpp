#include "sampler/look/look.h"

#include <optional>
#include <utility>

#include "sampler/look/rest_mark.h"
#include "sampler/proc/thread_evidence.h"

namespace hangstack::sampler {
namespace {

using model::Register;
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

/// What the thread's evidence says of the rest it was found in; none without a count of its runs. Its files were read
/// in the order that counts: the registers before the run count.
std::optional<RestMark> mark_in(const ThreadCapture& thread) {
  const auto stack_pointer = thread.registers.get(Register::rsp);
  const auto program_counter = thread.registers.get(Register::rip);
  const bool known = thread.method == model::CaptureMethod::none && thread.clocks.run_count && stack_pointer &&
                     program_counter && thread.kernel_state != 'R';
  if (!known) return std::nullopt;
  RestMark mark;
  mark.line = {false, thread.syscall, *stack_pointer, *program_counter};
  mark.run_count = thread.clocks.run_count;
  return mark;
}

/// Copies between `before` and a mark of its own. `seen` holds the evidence of that rest; if all is well it takes the
/// place of `thread`.
LookOutcome copy_at_rest(const ProcFiles& proc, std::int32_t pid, ThreadCapture& thread, ThreadCapture seen,
                         const RestMark& before, ThreadWindow& window, std::size_t stack_bytes) {
  seen.method = model::CaptureMethod::looked;
  seen.syscall = before.line.call;
  seen.registers = shown_registers(before.line);
  window.reset();
  const auto stack = window.copy_stacks(std::span(&before.line.stack_pointer, 1), stack_bytes).front();
  const auto pages = window.inspect(seen, stack);
  const auto after = read_rest_mark(proc, pid, thread.tid);
  if (!after) return outcome_of(after.error(), thread);
  if (*after != before) {
    thread.syscall = before.line.call;
    return LookOutcome::moved;
  }
  ThreadWindow::keep(seen, stack, pages);
  thread = std::move(seen);
  return LookOutcome::seen;
}

}  // namespace

LookOutcome look(const ProcFiles& proc, std::int32_t pid, ThreadCapture& thread, ThreadWindow& window,
                 std::size_t stack_bytes, RunQueueClock& clock) {
  if (const auto listed = mark_in(thread)) {
    const LookOutcome outcome = copy_at_rest(proc, pid, thread, thread, *listed, window, stack_bytes);
    if (outcome != LookOutcome::moved) return outcome;
    thread.registers = {};  // not of this rest
  }
  const auto before = read_rest_mark(proc, pid, thread.tid);
  if (!before) return outcome_of(before.error(), thread);
  if (before->line.running) return LookOutcome::running;
  ThreadCapture seen = thread;
  if (!is_of_same_rest(thread, *before)) {
    auto evidence = read_thread_evidence(proc, pid, thread.tid, &clock);
    if (!evidence) return outcome_of(evidence.error(), thread);
    seen = std::move(*evidence);
  }
  return copy_at_rest(proc, pid, thread, std::move(seen), *before, window, stack_bytes);
}

}  // namespace hangstack::sampler
