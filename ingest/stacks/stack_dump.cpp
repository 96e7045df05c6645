#include "ingest/stacks/stack_dump.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <unordered_set>
#include <utility>

#include "ingest/lines/encoding.h"
#include "ingest/stacks/frame_line.h"
#include "ingest/stacks/headings.h"
#include "ingest/stacks/join.h"
#include "ingest/text.h"
#include "model/file_path.h"

namespace hangstack::ingest {
namespace {

using model::ErrorCode;
using model::Expected;
using model::failure;
using model::Frame;

constexpr std::size_t kLookedAt = 64U << 10;

std::optional<Frame> frame_of(StackTool tool, std::string_view line) {
  switch (tool) {
    case StackTool::py_spy: return py_spy_frame(line);
    case StackTool::gdb: return gdb_frame(line);
    case StackTool::eu_stack: return eu_stack_frame(line);
    case StackTool::pystack:
    case StackTool::faulthandler: return file_frame(line);
  }
  return std::nullopt;
}

/// Lines that stand among frames in good order.
bool says_nothing(StackTool tool, std::string_view line) {
  if (trimmed(line).empty()) return true;
  switch (tool) {
    // Arguments and locals stand deeper; "Python v3.12.1 (/usr/bin/python3)" behind the process.
    case StackTool::py_spy:
      return line.starts_with("     ") || line.starts_with("Python v") || line.starts_with("Parent Process ");
    // Locals, source lines, what gdb says of its own doings, and the rest of a frame that it has broken.
    case StackTool::gdb: return !line.starts_with('#');
    case StackTool::eu_stack: return line.starts_with(' ');
    // The source line below each frame, its arguments and locals.
    case StackTool::pystack: return line.starts_with("      ");
    case StackTool::faulthandler: return line.starts_with("  ") && trimmed(line).starts_with("...");
  }
  return false;
}

/// The second half of a frame that gdb has broken in two, or the source line that eu-stack adds.
void complete(Frame& frame, std::string_view line) {
  line = trimmed(line);
  if (frame.file.empty() && line.starts_with("at ")) line.remove_prefix(3);
  const auto colon = line.rfind(':');
  if (!frame.file.empty() || colon == std::string_view::npos || line.find(' ') != std::string_view::npos) return;
  const auto number = leading_number(line.substr(colon + 1));
  if (number <= 0 || number > 0x7fffffff) return;
  frame.file = printable_name(line.substr(0, colon));
  frame.line = static_cast<int>(number);
}

/// A gdb's first frame without a heading. The frames in PyTorch's log, "#0 all_reduce from /x.py:7", have no arguments.
bool begins_bare_stack(std::string_view line) {
  return line.starts_with("#0 ") &&
         (line.find('(') != std::string_view::npos || line.find(" from ") == std::string_view::npos);
}

class Reader {
 public:
  Expected<std::vector<StackDump>> read(std::string_view bytes) {
    while (!bytes.empty()) {
      auto line = take_line(bytes);
      if (line.ends_with('\r')) line.remove_suffix(1);
      ++line_;
      if (const auto taken = take(line); !taken) return tl::make_unexpected(taken.error());
    }
    end_thread();
    std::erase_if(dumps_, [](const StackDump& dump) { return dump.threads.empty(); });
    if (dumps_.empty())
      return failure(ErrorCode::malformed_input, fmt::format("no thread in its {} lines", line_),
                     "give what py-spy dump, gdb's \"thread apply all bt\", eu-stack, pystack or faulthandler printed");
    for (StackDump& dump : dumps_) settle(dump);
    return std::move(dumps_);
  }

 private:
  Expected<void> take(std::string_view line) {
    if (line.find('\x1b') != std::string_view::npos) {
      uncoloured_ = without_colours(line);
      line = uncoloured_;
    }
    if (thread_ && trimmed(line).empty()) thread_over_ = true;
    if (const auto process = process_heading(line)) {
      end_thread();
      begin(process->tool).pid = process->pid;
      if (!process->command.empty()) dumps_.back().command_line = {process->command};
      fresh_ = true;
      return {};
    }
    if (auto thread = thread_heading(line)) {
      thread_over_ = true;
      end_thread();
      if (++threads_ > kMostStackThreads)
        return failure(ErrorCode::malformed_input,
                       fmt::format("line {}: more than {} threads", line_, kMostStackThreads),
                       "give fewer dumps at once");
      return begin_thread(std::move(*thread));
    }
    if (line.starts_with("Parent Process ") && !dumps_.empty() && dumps_.back().threads.empty()) {
      dumps_.back().parent_pid = static_cast<std::int32_t>(leading_number(line.substr(15)));
      return {};
    }
    if (line.starts_with("Python v") && !dumps_.empty() && dumps_.back().threads.empty()) {
      dumps_.back().python_version = printable_name(line.substr(8, line.find(' ', 8) - 8));
      return {};
    }
    // A gdb that was asked for the stack of one thread: no heading at all.
    if (!thread_ && begins_bare_stack(line)) {
      ThreadHeading heading;
      heading.tool = StackTool::gdb;
      heading.main = true;
      if (const auto begun = begin_thread(std::move(heading)); !begun) return begun;
    }
    return thread_ ? take_frame(line) : Expected<void>();
  }

  Expected<void> take_frame(std::string_view line) {
    const bool py_bt = thread_->tool == StackTool::gdb && takes_py_bt(line);
    auto& frames = py_bt ? python_ : thread_->thread.frames;
    auto frame = py_bt ? py_bt_frame(line) : frame_of(thread_->tool, line);
    if (!frame) {
      if (thread_->tool == StackTool::gdb || thread_->tool == StackTool::eu_stack) {
        if (!frames.empty()) complete(frames.back(), line);
      }
      if (says_nothing(thread_->tool, line)) return {};
      StackDump& dump = dumps_.back();
      if (dump.not_read++ == 0) dump.first_not_read = line_;
      return {};
    }
    if (frames.size() == kMostFramesOfThread) {
      thread_->thread.end = fmt::format("cut at {} frames", kMostFramesOfThread);
      return {};
    }
    if (++frames_ > kMostStackFrames)
      return failure(ErrorCode::malformed_input, fmt::format("line {}: more than {} frames", line_, kMostStackFrames),
                     "give fewer dumps at once");
    frames.push_back(std::move(*frame));
    return {};
  }

  /// gdb's py-bt, behind the frames of bt or instead of them.
  bool takes_py_bt(std::string_view line) {
    if (line.starts_with("Traceback (most recent call first")) in_py_bt_ = true;
    return in_py_bt_ || py_bt_frame(line);
  }

  StackDump& begin(StackTool tool) {
    StackDump dump;
    dump.tool = tool_name(tool);
    dump.line = line_;
    seen_.clear();
    main_is_over_ = false;
    return dumps_.emplace_back(std::move(dump));
  }

  /// A thread of another tool, or one whose number was there already, is of another look.
  Expected<void> begin_thread(ThreadHeading heading) {
    bool other = dumps_.empty() || dumps_.back().tool != tool_name(heading.tool) || main_is_over_;
    if (!other && !seen_.insert(heading.key).second && !fresh_) {
      other = true;
      heading_again_ = dumps_.back().pid;
    }
    if (other) {
      begin(heading.tool).pid = std::exchange(heading_again_, 0);
      seen_.insert(heading.key);
    }
    fresh_ = false;
    thread_over_ = false;
    thread_ = std::move(heading);
    return {};
  }

  void end_thread() {
    if (!thread_) return;
    model::Thread& thread = thread_->thread;
    if (thread_->outermost_first) std::ranges::reverse(thread.frames);
    if (!python_.empty())
      thread.frames = thread.frames.empty() ? std::move(python_) : native_above_python(thread.frames, python_);
    python_.clear();
    in_py_bt_ = false;
    // The frame below main() in a C library without symbols.
    while (!thread.frames.empty() && thread.frames.back().kind == model::FrameKind::native &&
           thread.frames.back().function.empty() && model::is_c_library(thread.frames.back().module))
      thread.frames.pop_back();
    if (thread.end.empty()) thread.end = "as the dump has it";
    // py-spy shows every Python frame of a thread, and faulthandler too: without one, no Python code runs in it.
    const bool all_frames = thread_->tool == StackTool::py_spy || thread_->tool == StackTool::faulthandler;
    if (thread.frames.empty() && !thread_over_) {
      thread.end = "the dump ends here";
      StackDump& cut = dumps_.back();
      if (cut.not_read++ == 0) cut.first_not_read = line_;
    } else if (thread.frames.empty() && all_frames) {
      Frame& marker = thread.frames.emplace_back();
      marker.kind = model::FrameKind::marker;
      marker.function = model::kNoPythonCode;
    }
    thread.method = model::CaptureMethod::none;
    StackDump& dump = dumps_.back();
    if (dump.pid == 0 && thread_->main) dump.pid = thread.tid;
    // pystack and faulthandler tell the main thread last, and begin no process with a line of its own.
    const bool is_main = !thread.frames.empty() && thread.frames.back().function == "<module>";
    if (is_main && (thread_->tool == StackTool::pystack || thread_->tool == StackTool::faulthandler))
      main_is_over_ = true;
    dump.threads.push_back(std::move(thread));
    thread_.reset();
  }

  /// Every thread gets a number, and the main one the process's.
  static void settle(StackDump& dump) {
    const auto named_main =
        std::ranges::find(dump.threads, std::string_view("MainThread"), &model::Thread::python_name);
    // pystack does not tell the pid: the main thread is the oldest. faulthandler does not tell thread numbers either,
    // but the main thread last.
    const bool last = dump.tool == tool_name(StackTool::faulthandler);
    const auto oldest = [](const model::Thread& thread) { return thread.tid == 0 ? 0x7fffffff : thread.tid; };
    const auto of_pid = std::ranges::find(dump.threads, dump.pid, &model::Thread::tid);
    auto main = named_main != dump.threads.end()                ? named_main
                : dump.pid != 0 && of_pid != dump.threads.end() ? of_pid
                : last                                          ? std::prev(dump.threads.end())
                                                                : std::ranges::min_element(dump.threads, {}, oldest);
    const auto is_native = [](const Frame& frame) { return frame.kind == model::FrameKind::native; };
    const bool native = std::ranges::any_of(
        dump.threads, [&](const auto& thread) { return std::ranges::any_of(thread.frames, is_native); });
    if (native && dump.tool == tool_name(StackTool::py_spy)) dump.tool = "py-spy --native";
    const bool python = std::ranges::any_of(dump.threads, [](const auto& thread) {
      return std::ranges::any_of(thread.frames,
                                 [](const Frame& frame) { return frame.kind == model::FrameKind::python; });
    });
    // No other look at the process, but what bt does not show of it.
    if (!native && python && dump.tool == tool_name(StackTool::gdb)) dump.tool = "gdb py-bt";
    for (auto& thread : dump.threads) thread.ns_tid = thread.tid;
    dump.pid_told = dump.pid != 0 || main->tid != 0;
    if (dump.pid == 0) dump.pid = std::max(main->tid, 1);
    main->tid = dump.pid;
    std::int32_t next = dump.pid;
    for (const auto& thread : dump.threads) next = std::max(next, thread.tid);
    for (auto& thread : dump.threads)
      if (thread.tid == 0 && next < 0x7fffffff) thread.tid = ++next;
  }

  std::vector<StackDump> dumps_;
  std::optional<ThreadHeading> thread_;
  std::vector<Frame> python_;  ///< of the thread, by py-bt
  bool in_py_bt_ = false;
  std::unordered_set<std::string> seen_;  ///< threads of the last dump
  std::string uncoloured_;
  bool main_is_over_ = false;  ///< of the last dump, which has no more threads then
  bool thread_over_ = false;   ///< the thread's lines have come to their end
  std::int32_t heading_again_ = 0;
  bool fresh_ = false;  ///< the process was just begun by a heading of its own
  std::size_t line_ = 0;
  std::size_t threads_ = 0;
  std::size_t frames_ = 0;
};

}  // namespace

bool looks_like_stacks(std::string_view bytes) {
  bytes = bytes.substr(0, kLookedAt);
  while (!bytes.empty()) {
    const auto line = take_line(bytes);
    if (process_heading(line) || thread_heading(line) || begins_bare_stack(line)) return true;
  }
  return false;
}

Expected<std::vector<StackDump>> read_stacks(std::string_view bytes) { return Reader().read(bytes); }

}  // namespace hangstack::ingest
