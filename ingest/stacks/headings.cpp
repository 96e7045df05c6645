#include "ingest/stacks/headings.h"

#include <algorithm>

#include "ingest/text.h"

namespace hangstack::ingest {
namespace {

using model::GilState;

constexpr long long kMaxId = 0x7fffffff;

std::int32_t id_of(std::string_view text) {
  const long long number = leading_number(text);
  return number > 0 && number <= kMaxId ? static_cast<std::int32_t>(number) : 0;
}

/// What follows `prefix`; none if the line does not begin so.
std::optional<std::string_view> behind(std::string_view line, std::string_view prefix) {
  if (!line.starts_with(prefix)) return std::nullopt;
  return line.substr(prefix.size());
}

/// Thread 1000 (idle): "MainThread", Thread 0x7F00 (active+gil), Thread 7 (idle). A name of 0.4 stands behind the
/// colon; that of 0.3 is missing for threads that Python did not start. The number is the kernel's, but where py-spy
/// could not tell it pthread's address.
std::optional<ThreadHeading> py_spy(std::string_view rest) {
  const auto state = between(rest, " (", ")");
  if (!state.starts_with("idle") && !state.starts_with("active")) return std::nullopt;
  ThreadHeading heading;
  heading.key = rest.substr(0, rest.find(' '));
  heading.thread.tid = rest.starts_with("0x") ? 0 : id_of(rest);
  heading.thread.kernel_state = state.starts_with("active") ? 'R' : 'S';
  if (state.find("gil") != std::string_view::npos) heading.thread.gil = GilState::holds;
  heading.thread.python_name = printable_name(between(rest, "\"", "\""));
  heading.main = heading.thread.python_name == "MainThread";
  return heading;
}

/// Thread 2 (Thread 0x7f00 (LWP 1001) "pt_nccl_watchdg"):, Thread 1 (LWP 9):, Thread 1 (process 9):
std::optional<ThreadHeading> gdb(std::string_view rest) {
  if (rest.empty() || !is_digit(rest.front())) return std::nullopt;
  const auto about = trimmed(rest.substr(std::min(rest.find(" ("), rest.size())));
  auto lwp = between(about, "LWP ", ")");
  if (lwp.empty()) lwp = between(about, "process ", ")");
  if (lwp.empty() || !about.ends_with(':')) return std::nullopt;
  ThreadHeading heading;
  heading.tool = StackTool::gdb;
  heading.thread.tid = id_of(lwp);
  heading.key = lwp;
  heading.thread.name = printable_name(between(about, "\"", "\""));
  heading.main = id_of(rest) == 1;
  return heading;
}

/// Thread 0x00007f10 (most recent call first):, with "Current" before it of the one that dumped, and with
/// "[name]" since Python 3.14. There is no kernel number in it.
std::optional<ThreadHeading> faulthandler(std::string_view rest) {
  if (!rest.starts_with("0x") || !rest.ends_with("(most recent call first):")) return std::nullopt;
  ThreadHeading heading;
  heading.tool = StackTool::faulthandler;
  heading.key = rest.substr(0, rest.find(' '));
  heading.thread.python_name = printable_name(between(rest, "[", "]"));
  heading.main = heading.thread.python_name == "MainThread";
  return heading;
}

/// Traceback for thread 12 (python3) [Has the GIL] (most recent call last):
std::optional<ThreadHeading> pystack(std::string_view rest) {
  constexpr std::string_view kEnd = "(most recent call last):";
  if (!rest.ends_with(kEnd)) return std::nullopt;
  rest.remove_suffix(kEnd.size());
  ThreadHeading heading;
  heading.tool = StackTool::pystack;
  heading.outermost_first = true;
  heading.thread.tid = id_of(rest);
  heading.key = rest.substr(0, rest.find(' '));
  heading.thread.name = printable_name(between(rest, "(", ")"));
  const auto marks = between(rest, "[", "]");
  if (marks.find("Has the GIL") != std::string_view::npos) heading.thread.gil = GilState::holds;
  if (marks.find("Waiting for the GIL") != std::string_view::npos) heading.thread.gil = GilState::waits;
  return heading;
}

/// TID 12817:
std::optional<ThreadHeading> eu_stack(std::string_view rest) {
  if (rest.empty() || !is_digit(rest.front()) || rest.find(':') == std::string_view::npos) return std::nullopt;
  ThreadHeading heading;
  heading.tool = StackTool::eu_stack;
  heading.thread.tid = id_of(rest);
  heading.key = rest.substr(0, rest.find(':'));
  return heading;
}

}  // namespace

std::string_view tool_name(StackTool tool) {
  switch (tool) {
    case StackTool::py_spy: return "py-spy";
    case StackTool::gdb: return "gdb";
    case StackTool::eu_stack: return "eu-stack";
    case StackTool::pystack: return "pystack";
    case StackTool::faulthandler: return "faulthandler";
  }
  return "";
}

std::optional<ProcessHeading> process_heading(std::string_view line) {
  line = trimmed(line);
  if (const auto rest = behind(line, "Process "); rest && !rest->empty() && is_digit(rest->front())) {
    const auto colon = rest->find(':');
    if (colon == std::string_view::npos) return std::nullopt;
    return ProcessHeading{StackTool::py_spy, id_of(*rest), printable_name(trimmed(rest->substr(colon + 1)))};
  }
  if (const auto rest = behind(line, "PID "); rest && rest->ends_with(" - process"))
    return ProcessHeading{StackTool::eu_stack, id_of(*rest), {}};
  if (const auto rest = behind(line, "Attaching to process ")) return ProcessHeading{StackTool::gdb, id_of(*rest), {}};
  return std::nullopt;
}

std::optional<ThreadHeading> thread_heading(std::string_view line) {
  line = trimmed(line);
  if (const auto rest = behind(line, "Thread ")) {
    if (auto found = py_spy(*rest)) return found;
    if (auto found = gdb(*rest)) return found;
    return faulthandler(*rest);
  }
  if (const auto rest = behind(line, "Current thread ")) return faulthandler(*rest);
  if (const auto rest = behind(line, "Traceback for thread ")) return pystack(*rest);
  if (const auto rest = behind(line, "TID ")) return eu_stack(*rest);
  return std::nullopt;
}

}  // namespace hangstack::ingest
