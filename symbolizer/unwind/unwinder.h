#pragma once
// A thread's registers and stack bytes -> its frames. Two implementations behind one interface.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "model/address.h"
#include "model/capture.h"
#include "model/memory_reader.h"
#include "model/snapshot.h"
#include "symbolizer/native/process_modules.h"

namespace hangstack::symbolizer {

struct UnwoundFrame {
  std::uint64_t pc = 0;
  std::uint64_t sp = 0;            ///< stack pointer in this frame: the low end of its part of the stack
  std::uint64_t cfa = 0;           ///< canonical frame address: the high end (exclusive); 0 if not known
  bool is_return_address = false;  ///< the frame called something: its call instruction lies before `pc`
  bool is_signal_frame = false;    ///< the trampoline that a signal handler returns to
  model::FrameTrust trust = model::FrameTrust::cfi;

  /// The address to look `pc` up by: the call itself where `pc` is what it returns to, because a call can be the last
  /// instruction of its function. The only place where that byte is taken off.
  [[nodiscard]] model::RemoteAddress lookup() const { return model::RemoteAddress{is_return_address ? pc - 1 : pc}; }

  friend bool operator==(const UnwoundFrame&, const UnwoundFrame&) = default;
};

struct UnwoundStack {
  std::vector<UnwoundFrame> frames;  ///< innermost first
  std::size_t omitted = 0;           ///< frames left out of a very deep stack...
  std::size_t omitted_before = 0;    ///< ...in front of this index
  std::string end;                   ///< "complete", or a sentence without the full stop
  bool complete = false;
  model::StackNeed need = model::StackNeed::nothing;
};

/// More frames than this are cut in the middle: the innermost and the outermost tell what hangs.
inline constexpr std::size_t kMaxInnermostFrames = 15'000;
inline constexpr std::size_t kMaxOutermostFrames = 5'000;

/// Alternate signal stacks and stack switching libraries move to another stack; more often than this is a loop.
inline constexpr int kMaxStackSwitches = 64;

class Unwinder {
 public:
  virtual ~Unwinder() = default;

  /// `memory` serves the thread's recorded bytes. Never fails: the stack says why it ended.
  virtual UnwoundStack unwind(const model::ThreadCapture& thread, ProcessModules& modules,
                              model::MemoryReader& memory) = 0;
};

/// libdw's call frame rows, cached by module and address, and an evaluator of ours.
std::unique_ptr<Unwinder> make_row_unwinder();

/// libunwind over the same bytes. It reads .eh_frame itself, so that it is an opinion of its own.
std::unique_ptr<Unwinder> make_libunwind_unwinder();

/// The row unwinder; where its stack ends early for want of a rule, libunwind is asked, and believed if it says the
/// same as far as the first got, and more.
std::unique_ptr<Unwinder> make_unwinder();

}  // namespace hangstack::symbolizer
