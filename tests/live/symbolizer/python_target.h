#pragma once
// A Python script under test, captured when all its threads are at rest.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "model/capture.h"
#include "model/snapshot.h"
#include "sampler/sampler.h"
#include "symbolizer/native/module_cache.h"
#include "symbolizer/native/process_modules.h"
#include "symbolizer/python/python.h"
#include "tests/support/program.h"
#include "tests/support/python_versions.h"

namespace hangstack::tests {

/// Waits until no thread of the process has run for 50 ms; false if 20 s pass. Threads that wait for the GIL wake every
/// 5 ms, so they never count as at rest.
bool wait_for_rest(std::int32_t pid);

/// Line of the source text that ends in "# LINE name"; 0 if there is none.
int marked_line(const std::string& script, const std::string& name);

/// A capture with what read_python makes of it.
struct ReadProcess {
  model::ProcessCapture capture;
  symbolizer::PythonProcess python;

  /// The thread with this name (threading.Thread.name is not needed: by a function that only it runs).
  [[nodiscard]] const symbolizer::PythonThread* thread_running(const std::string& function) const;
  [[nodiscard]] const symbolizer::PythonThread* thread(std::int32_t tid) const;
};

/// By the sampler, with Python's inspector. Throws what was refused.
model::ProcessCapture capture_of(std::int32_t pid, sampler::StopMode stop);

/// Captured without a stop where that is possible.
ReadProcess read_process(std::int32_t pid);

/// "function:line" of all Python frames, innermost first.
std::vector<std::string> frames_of(const symbolizer::PythonThread& thread);

}  // namespace hangstack::tests
