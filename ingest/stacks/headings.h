#pragma once
// The lines with which each tool begins a process or a thread.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/snapshot.h"

namespace hangstack::ingest {

enum class StackTool : std::uint8_t { py_spy, gdb, eu_stack, pystack, faulthandler };
std::string_view tool_name(StackTool tool);

/// "Process 1000: python train.py" (py-spy), "PID 12817 - process" (eu-stack), "Attaching to process 7" (gdb).
struct ProcessHeading {
  StackTool tool = StackTool::py_spy;
  std::int32_t pid = 0;
  std::string command;
};
std::optional<ProcessHeading> process_heading(std::string_view line);

/// One that begins a thread. `tid` is the kernel's where the tool tells it, else 0.
struct ThreadHeading {
  StackTool tool = StackTool::py_spy;
  model::Thread thread;
  std::string key;               ///< the tool's own number for it
  bool main = false;             ///< the tool calls it so
  bool outermost_first = false;  ///< its frames come in that order
};
std::optional<ThreadHeading> thread_heading(std::string_view line);

}  // namespace hangstack::ingest
