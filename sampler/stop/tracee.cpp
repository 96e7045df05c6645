#include "sampler/stop/tracee.h"

#include <elf.h>
#include <fmt/core.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "sampler/stop/wait.h"

namespace hangstack::sampler {
namespace {

using model::ErrorCode;
using model::Expected;
using model::Register;

model::RegisterSet register_set(const user_regs_struct& regs) {
  model::RegisterSet set;
  set.set(Register::rax, regs.rax);
  set.set(Register::rdx, regs.rdx);
  set.set(Register::rcx, regs.rcx);
  set.set(Register::rbx, regs.rbx);
  set.set(Register::rsi, regs.rsi);
  set.set(Register::rdi, regs.rdi);
  set.set(Register::rbp, regs.rbp);
  set.set(Register::rsp, regs.rsp);
  set.set(Register::r8, regs.r8);
  set.set(Register::r9, regs.r9);
  set.set(Register::r10, regs.r10);
  set.set(Register::r11, regs.r11);
  set.set(Register::r12, regs.r12);
  set.set(Register::r13, regs.r13);
  set.set(Register::r14, regs.r14);
  set.set(Register::r15, regs.r15);
  set.set(Register::rip, regs.rip);
  return set;
}

tl::unexpected<model::Error> ended(std::int32_t tid) {
  return model::failure(ErrorCode::vanished, fmt::format("thread {} ended while it was looked at", tid));
}

}  // namespace

Expected<Tracee> Tracee::seize(std::int32_t tid) {
  if (::ptrace(PTRACE_SEIZE, tid, nullptr, nullptr) != 0) {
    const int reason = errno;
    if (reason == ESRCH) return ended(tid);
    return model::failure(ErrorCode::no_permission,
                          fmt::format("thread {} may not be stopped: {}", tid, std::strerror(reason)),
                          "run hangstack as the user of the process or as root, without another tracer");
  }
  const auto since = SteadyClock::now();
  ::ptrace(PTRACE_INTERRUPT, tid, nullptr, nullptr);
  return Tracee(tid, since);
}

Tracee::Tracee(Tracee&& other) noexcept
    : tid_(other.tid_),
      state_(std::exchange(other.state_, State::released)),
      signal_(other.signal_),
      since_(other.since_) {}

Tracee& Tracee::operator=(Tracee&& other) noexcept {
  if (this != &other) {
    release();
    tid_ = other.tid_;
    state_ = std::exchange(other.state_, State::released);
    signal_ = other.signal_;
    since_ = other.since_;
  }
  return *this;
}

void StoppedRegisters::give_to(model::ThreadCapture& thread) const {
  if (thread.syscall && thread.syscall != syscall && thread.kernel_state == 'S') {
    thread.kernel_state = 'R';
    thread.wchan.clear();
  }
  thread.registers = registers;
  thread.fs_base = fs_base;
  thread.syscall = syscall;
}

Expected<void> Tracee::wait_until_stopped(SteadyClock::time_point deadline, std::chrono::microseconds sleepless) {
  if (state_ == State::stopped) return {};
  if (state_ == State::released) return ended(tid_);
  const WaitResult result = wait_for_stop(tid_, deadline, sleepless);
  switch (result.outcome) {
    case WaitOutcome::stopped:
      state_ = State::stopped;
      signal_ = result.signal;
      return {};
    case WaitOutcome::ended: state_ = State::released; return ended(tid_);
    case WaitOutcome::timed_out: break;
  }
  return model::failure(ErrorCode::timed_out, fmt::format("thread {} did not stop in time", tid_),
                        "look again: it is in an uninterruptible wait, or gets no processor");
}

std::optional<StoppedRegisters> Tracee::registers() const {
  user_regs_struct regs{};
  iovec place{&regs, sizeof regs};
  if (state_ != State::stopped || ::ptrace(PTRACE_GETREGSET, tid_, NT_PRSTATUS, &place) != 0) return std::nullopt;
  if (place.iov_len != sizeof regs) return std::nullopt;  // a 32-bit process
  StoppedRegisters stopped;
  stopped.registers = register_set(regs);
  stopped.fs_base = regs.fs_base;
  if (static_cast<std::int64_t>(regs.orig_rax) >= 0)
    stopped.syscall = model::SystemCall{static_cast<std::int64_t>(regs.orig_rax),
                                        {regs.rdi, regs.rsi, regs.rdx, regs.r10, regs.r8, regs.r9}};
  return stopped;
}

double Tracee::release() {
  if (state_ == State::released) return 0;
  if (state_ == State::seized) {
    // A tracee can be let go only at a stop: give the one that was asked for a last chance.
    const WaitResult result = wait_for_stop(tid_, SteadyClock::now(), std::chrono::microseconds(0));
    if (result.outcome == WaitOutcome::stopped) {
      signal_ = result.signal;
    } else {
      state_ = State::released;
      return 0;
    }
  }
  ::ptrace(PTRACE_DETACH, tid_, nullptr, static_cast<long>(signal_));
  state_ = State::released;
  return std::chrono::duration<double, std::micro>(SteadyClock::now() - since_).count();
}

}  // namespace hangstack::sampler
