#pragma once
// The interpreters of a process: where they are, of which version, and their threads.

#include <cstdint>
#include <string>
#include <vector>

#include "model/error.h"
#include "model/memory_reader.h"
#include "symbolizer/native/process_modules.h"
#include "symbolizer/python/layout.h"
#include "symbolizer/python/version.h"

namespace hangstack::symbolizer {

/// A PyThreadState.
struct ThreadState {
  std::uint64_t address = 0;
  std::uint64_t thread_id = 0;         ///< pthread_self() of its thread: glibc's and musl's struct pthread
  std::uint64_t native_thread_id = 0;  ///< as Python noted it (3.11 on): in the process's pid namespace, can be stale

  friend bool operator==(const ThreadState&, const ThreadState&) = default;
};

/// A PyInterpreterState.
struct Interpreter {
  std::uint64_t address = 0;
  std::int64_t id = 0;
  std::uint64_t gil = 0;  ///< its _gil_runtime_state; 0 if not known
  std::vector<ThreadState> threads;
};

/// A live _PyRuntime.
struct Runtime {
  std::uint64_t address = 0;
  PythonVersion version;
  Layout layout;
  std::string module;            ///< path of the ELF file that holds it
  std::uint64_t eval_frame = 0;  ///< address of _PyEval_EvalFrameDefault as the interpreter has it; 0 if not known
  std::vector<Interpreter> interpreters;
};

struct RuntimeSearch {
  std::vector<Runtime> runtimes;
  std::vector<model::Problem> problems;  ///< interpreters that are there but cannot be read
};

/// Looks into every mapped ELF file, whatever its name, for the section .PyRuntime (3.10 on, stripped or not); if no
/// file has it, for the symbol _PyRuntime: in the executable and files named like Python, then in all others. A runtime
/// counts if it is initialised and its lists point back to it: a second copy of the file that is merely mapped does
/// not.
RuntimeSearch find_runtimes(const model::ProcessCapture& process, ProcessModules& modules, model::MemoryReader& memory);

/// The interpreters and threads of the runtime at `address`, checked; empty if the layout does not fit or the runtime
/// is not initialised.
std::vector<Interpreter> read_interpreters(model::MemoryReader& memory, const Layout& layout,
                                           model::RemoteAddress runtime);

}  // namespace hangstack::symbolizer
