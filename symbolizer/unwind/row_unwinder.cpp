#include <fmt/core.h>

#include <optional>

#include "symbolizer/unwind/call_site.h"
#include "symbolizer/unwind/end_reason.h"
#include "symbolizer/unwind/frame_list.h"
#include "symbolizer/unwind/frame_pointer.h"
#include "symbolizer/unwind/no_cfi.h"
#include "symbolizer/unwind/row_evaluator.h"
#include "symbolizer/unwind/unwinder.h"

namespace hangstack::symbolizer {

namespace {

using model::FrameTrust;
using model::Register;
using model::RegisterSet;
using model::RemoteAddress;
using model::StackNeed;
using FailureKind = EvaluationFailure::Kind;

/// One walk up one stack.
class Walk {
 public:
  Walk(const model::ThreadCapture& thread, ProcessModules& modules, model::MemoryReader& memory)
      : thread_(thread), modules_(modules), memory_(memory), registers_(thread.registers) {}

  UnwoundStack run();

 private:
  /// Moves to the caller; false when the stack has ended (then `end_` is set).
  bool advance();
  std::optional<CallerState> caller_of(const ModulePlace& place, const CallFrameRow& row);
  std::optional<CallerState> by_found_frame_pointer(const CallFrameRow& row);
  std::optional<CallerState> without_row(const std::optional<ModulePlace>& place);
  bool accept(const CallerState& caller);
  void finish_guess(UnwoundStack& stack) const;
  bool stop(StackEnd end) {
    end_ = std::move(end);
    return false;
  }

  const model::ThreadCapture& thread_;
  ProcessModules& modules_;
  model::MemoryReader& memory_;
  RegisterSet registers_;
  UnwoundFrame current_;
  FrameTrust next_trust_ = FrameTrust::cfi;
  FrameList frames_;
  StackEnd end_;
  int switches_ = 0;
  /// The frame whose rbp was searched for: what lies above it stands only if the stack is complete.
  struct Guess {
    std::size_t frames = 0;
    bool by_frame_size = false;
    bool calls_proved = true;
    StackEnd otherwise;
  };
  std::optional<Guess> guess_;
};

StackEnd end_by(const EvaluationFailure& failure, RemoteAddress at, const model::ThreadCapture& thread,
                ProcessModules& modules) {
  switch (failure.kind) {
    case FailureKind::unknown_register: return needs_register(failure.reg, at, modules);
    case FailureKind::unreadable_memory: return needs_memory(failure.address, thread, modules);
    case FailureKind::unsupported: break;
  }
  return {fmt::format("the call frame information at {} is not understood", describe(at, modules)), false,
          StackNeed::nothing};
}

UnwoundStack Walk::run() {
  const auto pc = registers_.get(Register::rip);
  const auto sp = registers_.get(Register::rsp);
  if (!pc || !sp) return {{}, 0, 0, "no registers were read", false, StackNeed::registers};
  current_ = {*pc, *sp, 0, false, false, FrameTrust::context};
  while (advance()) {
  }
  UnwoundStack stack = frames_.take();
  stack.end = end_.text;
  stack.complete = end_.complete;
  stack.need = end_.need;
  finish_guess(stack);
  // A stop has shown all registers that there are.
  if (stack.need == StackNeed::registers && thread_.registers.knows(Register::rbp)) stack.need = StackNeed::nothing;
  return stack;
}

bool Walk::advance() {
  const auto place = modules_.find(current_.lookup());
  const CallFrameRow* row = place ? place->module->row(place->address) : nullptr;
  current_.is_signal_frame = (row != nullptr && row->signal_frame) || is_signal_return(current_, place);
  const bool by_kernel_frame = current_.is_signal_frame && (row == nullptr || !row->signal_frame);
  std::optional<CallerState> caller;
  if (by_kernel_frame) {
    caller = interrupted_state(current_.sp, memory_);
    if (!caller) end_ = needs_memory(current_.sp, thread_, modules_);
  } else if (row != nullptr) {
    caller = caller_of(*place, *row);
  } else {
    caller = without_row(place);
  }
  if (caller) current_.cfa = caller->cfa;
  frames_.add(current_);
  return caller && accept(*caller);
}

std::optional<CallerState> Walk::caller_of(const ModulePlace& place, const CallFrameRow& row) {
  const auto caller = step(row, registers_, memory_);
  if (caller) return *caller;
  end_ = end_by(caller.error(), current_.lookup(), thread_, modules_);
  const bool lacks_rbp = caller.error().kind == FailureKind::unknown_register && caller.error().reg == Register::rbp;
  if (lacks_rbp && !guess_ && has_frame_pointer_shape(row) && place.module != nullptr) {
    return by_found_frame_pointer(row);
  }
  return std::nullopt;
}

std::optional<CallerState> Walk::by_found_frame_pointer(const CallFrameRow& row) {
  const auto found = find_frame_pointer({row, current_.lookup(), current_.sp}, modules_, memory_);
  if (!found) return std::nullopt;
  RegisterSet with_rbp = registers_;
  with_rbp.set(Register::rbp, found->rbp);
  const auto caller = step(row, with_rbp, memory_);
  if (!caller) return std::nullopt;
  guess_ = Guess{frames_.size() + 1, found->by_frame_size, true, end_};
  next_trust_ = found->trust;
  return *caller;
}

std::optional<CallerState> Walk::without_row(const std::optional<ModulePlace>& place) {
  end_ = no_call_frame_information(current_.lookup(), modules_);
  if (!place) return std::nullopt;
  auto caller = caller_by_frame_pointer(current_, *place, registers_, modules_, memory_);
  if (caller) next_trust_ = FrameTrust::frame_pointer;
  return caller;
}

/// Is `caller` a state that the stack can go on from?
bool Walk::accept(const CallerState& caller) {
  const RemoteAddress at = current_.lookup();
  if (caller.outermost) return stop(complete_end());
  const std::uint64_t pc = caller.registers.get(Register::rip).value_or(0);
  const std::uint64_t sp = caller.registers.get(Register::rsp).value_or(0);
  if (pc == 0) return stop(complete_end());
  const model::Mapping* code = modules_.mapping_at(RemoteAddress{pc});
  if (code == nullptr || !code->executable) return stop(bad_return_address(pc, at, modules_));
  // On one stack every caller's frame lies higher, but for a function that called nothing and has its return address
  // in a register (vfork). A signal frame may lead to another stack.
  if (sp < current_.sp || (sp == current_.sp && current_.is_return_address)) {
    const bool may_switch = current_.is_signal_frame || !modules_.same_mapping(current_.sp, sp);
    if (!may_switch || ++switches_ > kMaxStackSwitches) return stop(no_progress(at, modules_));
  }
  if (guess_ && !guess_->by_frame_size && frames_.size() > guess_->frames) {
    guess_->calls_proved = guess_->calls_proved && call_is_proved(RemoteAddress{pc}, at, modules_);
  }
  const bool returns = !current_.is_signal_frame;
  registers_ = caller.registers;
  current_ = {pc, sp, 0, returns, false, next_trust_};
  next_trust_ = FrameTrust::cfi;
  return true;
}

/// A frame that was found on the stack counts only if it leads to the outermost one; else the stack ends before it.
void Walk::finish_guess(UnwoundStack& stack) const {
  if (!guess_ || (stack.complete && (guess_->by_frame_size || guess_->calls_proved))) return;
  if (stack.omitted != 0 || stack.frames.size() < guess_->frames) return;
  stack.frames.resize(guess_->frames);
  stack.frames.back().cfa = 0;
  stack.complete = false;
  stack.end = guess_->otherwise.text;
  // Whether the frame leads on may be told by more of the stack.
  stack.need = stack.need == StackNeed::more_memory ? StackNeed::more_memory : guess_->otherwise.need;
}

class RowUnwinder : public Unwinder {
 public:
  UnwoundStack unwind(const model::ThreadCapture& thread, ProcessModules& modules,
                      model::MemoryReader& memory) override {
    return Walk(thread, modules, memory).run();
  }
};

}  // namespace

std::unique_ptr<Unwinder> make_row_unwinder() { return std::make_unique<RowUnwinder>(); }

}  // namespace hangstack::symbolizer
