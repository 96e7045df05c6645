#pragma once
// One thread held by ptrace(2), for as short as can be.

#include <chrono>
#include <cstdint>
#include <optional>

#include "model/capture.h"
#include "model/error.h"

namespace hangstack::sampler {

using SteadyClock = std::chrono::steady_clock;

/// What PTRACE_GETREGSET (NT_PRSTATUS) gives.
struct StoppedRegisters {
  model::RegisterSet registers;  ///< all of them
  std::uint64_t fs_base = 0;
  std::optional<model::SystemCall> syscall;  ///< if the stop came on the way out of one

  /// Puts them into `thread`, whose evidence is from before the stop: a thread that has left its system call since then
  /// was running.
  void give_to(model::ThreadCapture& thread) const;
};

/// A seized thread. The destructor lets it go. Every call must come from the thread that called `seize`; what could not
/// be let go (it never stopped) the kernel lets go when that thread ends.
/// Other stops than the asked one are passed on: a signal that stopped the tracee is delivered on release, a group stop
/// stays one (ptrace(2), "Group-stop", "PTRACE_LISTEN").
class Tracee {
 public:
  /// PTRACE_SEIZE, then PTRACE_INTERRUPT at once: a signal that arrives between the two would make a stop that nobody
  /// asked for. `vanished`, `no_permission` (also for a thread that has another tracer).
  static model::Expected<Tracee> seize(std::int32_t tid);
  ~Tracee() { release(); }
  Tracee(Tracee&& other) noexcept;
  Tracee& operator=(Tracee&& other) noexcept;

  /// `timed_out` if it does not stop (it is in an uninterruptible wait, or has no processor), `vanished` if it ended.
  /// `sleepless`: see wait.h.
  model::Expected<void> wait_until_stopped(SteadyClock::time_point deadline, std::chrono::microseconds sleepless);

  /// Only while stopped; none if the thread was killed meanwhile.
  [[nodiscard]] std::optional<StoppedRegisters> registers() const;

  /// Lets it run again. Gives the microseconds since it was interrupted; 0 if it is not held.
  double release();

  [[nodiscard]] std::int32_t tid() const { return tid_; }

 private:
  enum class State : std::uint8_t { seized, stopped, released };

  Tracee(std::int32_t tid, SteadyClock::time_point since) : tid_(tid), since_(since) {}

  std::int32_t tid_;
  State state_ = State::seized;
  int signal_ = 0;  ///< to be delivered on release
  SteadyClock::time_point since_;
};

}  // namespace hangstack::sampler
