#pragma once
// A process with names: what the symbolizer makes of a capture, and what reports are written from.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/capture.h"
#include "model/communicators.h"
#include "model/error.h"
#include "model/identity.h"
#include "model/records.h"

namespace hangstack::model {

enum class FrameKind : std::uint8_t { native, python, inlined, gpu, marker };
std::string_view frame_kind_name(FrameKind kind);  ///< "native", "python", "inline", "gpu", "marker"

/// How a frame was found, best first. Shown in JSON; a guess is marked in text too.
enum class FrameTrust : std::uint8_t {
  context,        ///< the thread's own registers
  cfi,            ///< call frame information
  frame_pointer,  ///< rbp chain, checked against the code
  interpreter,    ///< Python's own frame chain
  guess,          ///< plausible, not proved
};
std::string_view frame_trust_name(FrameTrust trust);

struct Frame {
  FrameKind kind = FrameKind::native;
  std::string
      function;  ///< normal form (demangled, without @@ and clone suffixes); qualified name for Python; empty: unknown
  std::string symbol;         ///< the raw symbol if it differs from `function`
  std::string module;         ///< path of the ELF file; "[vdso]", "[jit]", "[anonymous]"; empty for Python
  std::string file;           ///< source file, if known
  int line = 0;               ///< 0: unknown
  std::uint64_t address = 0;  ///< pc in the process (native, inline); address of the frame object (python)
  std::uint64_t offset = 0;   ///< module address of the pc (load bias taken off)
  FrameTrust trust = FrameTrust::cfi;
  std::string note;  ///< why there is no name, or what a marker says

  friend bool operator==(const Frame&, const Frame&) = default;
};

enum class GilState : std::uint8_t { none, holds, waits };
std::string_view gil_state_name(GilState state);  ///< "", "holds", "waits"

/// Function of a marker that stands for the whole stack of a thread in which another tool saw no Python code.
inline constexpr std::string_view kNoPythonCode = "no Python code";

/// A stack that a second look could make longer.
enum class StackNeed : std::uint8_t {
  nothing,
  registers,    ///< needs callee-saved registers: a stop of this thread would give them
  more_memory,  ///< the copied part of the stack ended
};

struct Thread {
  std::int32_t tid = 0;
  std::int32_t ns_tid = 0;
  std::string name;         ///< comm; bytes that are not UTF-8 are replaced
  std::string python_name;  ///< threading.Thread.name, if known
  char kernel_state = '?';
  std::string wchan;
  std::optional<SystemCall> syscall;
  std::string syscall_name;                       ///< "futex"; empty if unknown
  ThreadClocks clocks;                            ///< before hangstack stopped it
  std::optional<ThreadClocks> clocks_after_stop;  ///< as in ThreadCapture
  SignalState signals;
  CaptureMethod method = CaptureMethod::none;
  double stopped_us = 0;
  GilState gil = GilState::none;
  std::int32_t lock_holder_tid = 0;  ///< the thread of its process that holds the mutex it waits for; 0: not known
  std::vector<Frame> frames;         ///< innermost first
  std::string end;                   ///< why the stack ended: "complete", or a sentence
  bool complete = false;             ///< the stack reached its outermost frame
  StackNeed need = StackNeed::nothing;
  std::vector<Error> problems;

  // Judged by the classifiers.
  std::string role;           ///< "main", "c10d store", "autograd"...; empty if unknown
  bool suppressed = false;    ///< an idle helper that every such process has
  bool blocking = false;      ///< the thread that stands for what its process waits in
  std::optional<bool> moved;  ///< between the samples; none with one sample

  friend bool operator==(const Thread&, const Thread&) = default;
};

struct PythonInterpreter {
  std::string version;              ///< "3.12.1"
  std::string module;               ///< ELF file that holds it
  int id = 0;                       ///< 0 is the main interpreter
  std::int32_t gil_holder_tid = 0;  ///< 0: nobody, or not known

  friend bool operator==(const PythonInterpreter&, const PythonInterpreter&) = default;
};

struct ProcessSnapshot {
  std::string dump;  ///< file that another program wrote of it, which all that is here comes from; empty: it was read
                     ///< itself. A dump tells neither pid (0) nor host
  std::string host;
  std::int32_t pid = 0;
  std::int32_t ns_pid = 0;
  std::int32_t parent_pid = 0;
  std::uint64_t start_time_ticks = 0;
  std::int64_t captured_at_unix_ns = 0;
  std::string exe;
  std::vector<std::string> command_line;
  std::map<std::string, std::string> environment;
  RankIdentity identity;
  std::vector<Descendant> descendants;
  char kernel_state = '?';
  std::int32_t tracer_pid = 0;
  std::string tracer_name;
  std::vector<PythonInterpreter> pythons;
  std::vector<Thread> threads;
  std::vector<FlightRecorder> flight_recorders;  ///< of the last sample
  std::vector<NcclLibrary> nccl_libraries;       ///< likewise
  double stopped_us = 0;
  std::vector<Problem> problems;

  friend bool operator==(const ProcessSnapshot&, const ProcessSnapshot&) = default;
};

}  // namespace hangstack::model
