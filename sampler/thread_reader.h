#pragma once
// How one thread is read: looked at if it sleeps, stopped if it must be and may be, and else why not.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "model/capture.h"
#include "model/snapshot.h"
#include "sampler/memory/thread_window.h"
#include "sampler/proc/proc_files.h"
#include "sampler/proc/schedule.h"
#include "sampler/sampler.h"

namespace hangstack::sampler {

/// A stop does nothing to a thread in these states but wait for it (D), or belongs to somebody else's stop (T, t).
bool may_be_stopped_in(char kernel_state);

class ThreadReader {
 public:
  struct Settings {
    StopMode stop = StopMode::automatic;
    std::size_t stack_bytes = 0;
    std::int32_t tracer_pid = 0;  ///< of the process; a thread with a tracer cannot be stopped
    std::chrono::milliseconds stop_patience{0};
  };
  /// `proc`, `window` and `clock` are borrowed.
  ThreadReader(const ProcFiles& proc, std::int32_t pid, ThreadWindow& window, RunQueueClock& clock, Settings settings);

  /// `thread` holds its evidence; takes its registers and stack, or puts the reason into its problems. False if it has
  /// ended. Kernel workers and ended leaders are left as they are.
  bool read(model::ThreadCapture& thread, model::StackNeed need);

 private:
  enum class Rest : std::uint8_t { seen, restless, ended, refused };
  Rest look_at(model::ThreadCapture& thread, std::size_t stack_bytes, bool patient);
  void note_fragile_call(const model::ThreadCapture& thread);
  std::optional<model::Error> why_not_stop(model::ThreadCapture& thread);
  bool stop(model::ThreadCapture& thread, std::size_t stack_bytes);
  bool read_restless(model::ThreadCapture& thread, std::size_t stack_bytes);
  bool read_with_registers(model::ThreadCapture& thread);

  const ProcFiles& proc_;
  std::int32_t pid_;
  ThreadWindow& window_;
  RunQueueClock& clock_;
  Settings settings_;
  /// A call that a stop would fail, seen in one of the looks at the thread: it may be in it again.
  std::optional<std::string_view> fragile_call_;
};

}  // namespace hangstack::sampler
