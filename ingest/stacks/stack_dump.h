#pragma once
// Stacks of a process as other tools print them: py-spy (text of 0.3 and 0.4, with --native and --locals too, and its
// JSON), gdb's `thread apply all bt`, eu-stack, pystack, and Python's faulthandler. Bytes of any kind are taken; work
// and memory grow with their number.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/error.h"
#include "model/snapshot.h"

namespace hangstack::ingest {

/// One process, as one tool saw it once.
struct StackDump {
  /// "py-spy", "py-spy --native", "py-spy --json", "gdb", "eu-stack", "pystack", "faulthandler"; "gdb py-bt" where it
  /// shows no other frames than Python's
  std::string_view tool;
  std::int32_t pid = 0;  ///< made up where the dump does not tell it
  bool pid_told = false;
  std::int32_t parent_pid = 0;  ///< the one before it in the dump has started it; 0: not told
  std::vector<std::string> command_line;
  std::string python_version;
  /// Innermost frame first. Of the kernel's letter there is only what the tool says: R of an active thread, S of an
  /// idle one, else '?'. A main thread has `pid` for a tid. A thread of which the tool tells no number has one that is
  /// made up, and 0 for an ns_tid.
  std::vector<model::Thread> threads;
  std::size_t line = 0;            ///< at which it begins
  std::size_t not_read = 0;        ///< lines among its threads that are no frame of that tool
  std::size_t first_not_read = 0;  ///< the first of them
};

/// What one file tells of at most.
inline constexpr std::size_t kMostStackThreads = 100'000;
inline constexpr std::size_t kMostStackFrames = 2'000'000;
inline constexpr std::size_t kMostFramesOfThread = 20'000;  ///< more of one thread are left out

/// Whether a line of `bytes` begins a thread or a process as one of the tools writes it. Looks at the first 64 KiB.
bool looks_like_stacks(std::string_view bytes);

/// Every process in the text, in its order; several tools may stand in one file. `malformed_input` names the line at
/// which a bound was met, or says that nothing in it is a thread.
model::Expected<std::vector<StackDump>> read_stacks(std::string_view bytes);

/// What `py-spy dump --json` prints.
model::Expected<std::vector<StackDump>> read_py_spy_json(std::string_view bytes);

}  // namespace hangstack::ingest
