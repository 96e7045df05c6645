#pragma once
// Everything that a capture says about Python: interpreters, the frames of each thread, the GIL.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/capture.h"
#include "model/served_bytes.h"
#include "model/snapshot.h"
#include "symbolizer/native/process_modules.h"

namespace hangstack::symbolizer {

/// The Python frames that one call of the interpreter's eval function runs.
struct PythonGroup {
  /// An address inside the native stack frame of that call; none for 3.9 and earlier.
  std::optional<std::uint64_t> anchor;
  std::vector<model::Frame> frames;  ///< innermost first; empty while the call has not entered its frame yet
};

/// One thread as its interpreter sees it.
struct PythonThread {
  std::vector<PythonGroup> groups;  ///< innermost first
  std::string broken;               ///< why the chain of frames ends early; empty if it does not
  std::string name;                 ///< threading.Thread.name; empty if not known
  model::GilState gil = model::GilState::none;
  bool one_call_per_frame = false;  ///< each Python frame has a native call of its own (3.10 and earlier)
};

struct PythonProcess {
  std::vector<model::PythonInterpreter> interpreters;
  std::map<std::int32_t, PythonThread> threads;  ///< by tid; threads that never ran Python are not in it
  /// Addresses of the eval functions, as the interpreters have them: one per runtime where that is known.
  std::vector<std::uint64_t> eval_functions;
  std::vector<model::Problem> problems;
};

/// Reads the recorded memory of a capture, and tells `served` of it if that is given. Never fails: what could not be
/// read is in `problems`, or in the thread.
PythonProcess read_python(const model::ProcessCapture& capture, ProcessModules& modules,
                          model::ServedBytes* served = nullptr);

}  // namespace hangstack::symbolizer
