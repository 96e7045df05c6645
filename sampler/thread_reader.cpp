#include "sampler/thread_reader.h"

#include <fmt/core.h>

#include <algorithm>
#include <ctime>

#include "sampler/look/look.h"
#include "sampler/proc/thread_evidence.h"
#include "sampler/settling.h"
#include "sampler/stop/interruptible_calls.h"
#include "sampler/stop/stop_thread.h"

namespace hangstack::sampler {
namespace {

using model::ErrorCode;
using model::StackNeed;
using model::ThreadCapture;

/// Looks at a thread that naps, before it is stopped; pauses of 50, 100 us between them.
constexpr int kLooks = 3;
/// Where a stop is no way out: pauses double up to 2 ms, 15 ms in all.
constexpr int kPatientLooks = 14;
constexpr long kFirstPauseNs = 50'000;
constexpr long kLongestPauseNs = 2'000'000;

void pause_ns(long ns) {
  const timespec nap{0, ns};
  ::nanosleep(&nap, nullptr);
}

std::string_view words_for_state(char state) {
  switch (state) {
    case 'D': return "is in an uninterruptible wait in the kernel (D)";
    case 'T': return "is stopped by a signal (T)";
    case 't': return "is held by another tracer (t)";
    default: return "has ended";
  }
}

}  // namespace

bool may_be_stopped_in(char kernel_state) { return kernel_state == 'R' || kernel_state == 'S' || kernel_state == '?'; }

ThreadReader::ThreadReader(const ProcFiles& proc, std::int32_t pid, ThreadWindow& window, RunQueueClock& clock,
                           Settings settings)
    : proc_(proc), pid_(pid), window_(window), clock_(clock), settings_(settings) {}

bool ThreadReader::read(ThreadCapture& thread, StackNeed need) {
  if (thread.kernel_worker) return true;
  if (thread.kernel_state == 'Z' || thread.kernel_state == 'X') {
    thread.problems.push_back(
        {ErrorCode::zombie,
         fmt::format("thread {} has ended and has no stack; its process waits for the others", thread.tid),
         {}});
    return true;
  }
  fragile_call_.reset();
  if (need == StackNeed::registers) return read_with_registers(thread);
  const std::size_t stack_bytes =
      need == StackNeed::more_memory ? std::max(kMoreStackBytes, settings_.stack_bytes) : settings_.stack_bytes;
  switch (look_at(thread, stack_bytes, false)) {
    case Rest::seen: return true;
    case Rest::ended: return false;
    case Rest::restless:
    case Rest::refused: break;
  }
  return read_restless(thread, stack_bytes);
}

ThreadReader::Rest ThreadReader::look_at(ThreadCapture& thread, std::size_t stack_bytes, bool patient) {
  long pause = kFirstPauseNs;
  const int looks = patient ? kPatientLooks : kLooks;
  for (int i = 0; i < looks; ++i) {
    if (i > 0) {
      pause_ns(pause);
      pause = std::min(pause * 2, kLongestPauseNs);
    }
    switch (look(proc_, pid_, thread, window_, stack_bytes, clock_)) {
      case LookOutcome::seen: return Rest::seen;
      case LookOutcome::ended: return Rest::ended;
      case LookOutcome::refused: return Rest::refused;
      case LookOutcome::running: break;
      case LookOutcome::moved: note_fragile_call(thread); break;
    }
  }
  return Rest::restless;
}

void ThreadReader::note_fragile_call(const ThreadCapture& thread) {
  if (const auto call = call_that_a_stop_would_fail(proc_, pid_, thread)) fragile_call_ = call;
}

/// Brings `thread`'s evidence up to now, and says why it is not to be stopped.
std::optional<model::Error> ThreadReader::why_not_stop(ThreadCapture& thread) {
  if (settings_.stop == StopMode::never)
    return model::Error{
        ErrorCode::unavailable,
        fmt::format("thread {} can only be read while it is stopped, and \"--stop never\" rules that out", thread.tid),
        "sample with --stop auto"};
  if (settings_.tracer_pid != 0)
    return model::Error{ErrorCode::already_traced,
                        fmt::format("thread {} cannot be stopped: pid {} traces it", thread.tid, settings_.tracer_pid),
                        "detach that tracer"};
  // Both as it is now and as it was seen before: it may go back there at any moment.
  note_fragile_call(thread);
  if (auto fresh = read_thread_evidence(proc_, pid_, thread.tid, &clock_)) {
    thread.kernel_state = fresh->kernel_state;
    thread.wchan = std::move(fresh->wchan);
    thread.syscall = fresh->syscall;
    thread.clocks = fresh->clocks;
    note_fragile_call(thread);
  }
  if (!may_be_stopped_in(thread.kernel_state))
    return model::Error{
        ErrorCode::unavailable,
        fmt::format("thread {} {}: it was not stopped", thread.tid, words_for_state(thread.kernel_state)),
        {}};
  if (fragile_call_)
    return model::Error{ErrorCode::unavailable,
                        fmt::format("thread {} waits in {}, which a stop would end with EINTR: it was not stopped",
                                    thread.tid, *fragile_call_),
                        "use gdb if that does no harm to the job"};
  return std::nullopt;
}

bool ThreadReader::stop(ThreadCapture& thread, std::size_t stack_bytes) {
  const auto stopped = stop_thread(thread, window_, stack_bytes, settings_.stop_patience);
  if (stopped) {
    read_clocks_after_stop(proc_, pid_, {&thread, 1});
    return true;
  }
  if (stopped.error().code == ErrorCode::vanished) return false;
  thread.problems.push_back(stopped.error());
  return true;
}

bool ThreadReader::read_restless(ThreadCapture& thread, std::size_t stack_bytes) {
  if (const auto reason = why_not_stop(thread)) {
    const std::size_t known_problems = thread.problems.size();
    switch (look_at(thread, stack_bytes, true)) {
      case Rest::seen: return true;
      case Rest::ended: return false;
      case Rest::restless: thread.problems.push_back(*reason); return true;
      case Rest::refused:
        // The refusal was noted by the first look already.
        if (known_problems > 0) thread.problems.resize(known_problems);
        return true;
    }
  }
  return stop(thread, stack_bytes);
}

/// A second visit: the stack needs registers that a look does not show. Without a stop, the look is given again.
bool ThreadReader::read_with_registers(ThreadCapture& thread) {
  const auto reason = why_not_stop(thread);
  if (!reason) {
    if (!stop(thread, settings_.stack_bytes)) return false;
    if (thread.method == model::CaptureMethod::stopped) return true;
  }
  const Rest rest = look_at(thread, settings_.stack_bytes, true);
  if (reason) thread.problems.push_back(*reason);
  return rest != Rest::ended;
}

}  // namespace hangstack::sampler
