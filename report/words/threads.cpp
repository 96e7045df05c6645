#include "report/words/threads.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <set>

#include "model/duration.h"
#include "model/file_path.h"
#include "report/printable.h"
#include "report/words/cut.h"
#include "report/words/folding.h"

namespace hangstack::report {
namespace {

constexpr std::size_t kLongestShown = 1000;  ///< bytes of one name
constexpr int kWordColumns = 40;

std::string_view state_in_words(char state) {
  switch (state) {
    case 'R': return "running";
    case 'S': return "sleeping";
    case 'D': return "uninterruptible";
    case 'T': return "stopped";
    case 't': return "stopped by a debugger";
    case 'Z': return "zombie";
    case 'X': return "dead";
    case 'I': return "idle kernel thread";
    default: return "state unknown";
  }
}

std::string_view how_in_words(model::CaptureMethod method) {
  switch (method) {
    case model::CaptureMethod::looked: return "read while it slept";
    case model::CaptureMethod::stopped: return "read under a stop";
    case model::CaptureMethod::none: return "stack not read";
  }
  return "stack not read";
}

std::string source_of(const model::Frame& frame) {
  if (frame.file.empty()) return {};
  const std::string file = printable(frame.file);
  return frame.line > 0 ? fmt::format("{}:{}", file, frame.line) : file;
}

/// Options of the interpreter without a value.
bool is_python_flag(std::string_view word) {
  constexpr auto kFlags = std::to_array<std::string_view>({"-u", "-B", "-O", "-OO", "-E", "-I", "-s", "-S"});
  return std::find(kFlags.begin(), kFlags.end(), word) != kFlags.end();
}

}  // namespace

std::vector<std::string> threads_in_words(const StackClass& stack, int width) {
  const model::RankSet ranks = ranks_of(stack);
  std::vector<std::int32_t> pids;
  std::vector<std::int32_t> tids;
  for (const auto& [process, thread] : stack.members) {
    pids.push_back(process->pid);
    tids.push_back(thread->tid);
  }
  std::vector<std::string> parts;
  if (!ranks.empty()) parts.push_back(ranks_in_words(ranks, width));
  const std::size_t processes = std::set<std::int32_t>(pids.begin(), pids.end()).size();
  parts.push_back((processes == 1 ? "pid " : "pids ") + fitting_list(folded_pids(pids), processes, width));
  parts.push_back((tids.size() == 1 ? "thread " : "threads ") + fitting_list(folded_pids(tids), tids.size(), width));
  return parts;
}

std::string names_in_words(const StackClass& stack) {
  const model::Thread& thread = *stack.members.front().thread;
  std::string text = "\"" + printable(thread.name) + "\"";
  if (!thread.python_name.empty()) text += " (" + printable(thread.python_name) + ")";
  const bool same = std::all_of(stack.members.begin(), stack.members.end(),
                                [&](const auto& m) { return m.thread->name == thread.name; });
  return same ? text : text + " and others";
}

std::string facts_of(const StackClass& stack) {
  const model::Thread& thread = *stack.members.front().thread;
  std::string text(state_in_words(thread.kernel_state));
  if (!thread.syscall_name.empty()) text += " in " + printable(thread.syscall_name);
  if (!thread.wchan.empty() && thread.wchan != "0") text += " (" + printable(thread.wchan) + ")";
  if (thread.clocks.asleep_s) text += ", asleep for " + model::duration(*thread.clocks.asleep_s);
  if (thread.moved) text += *thread.moved ? ", moved" : ", did not move";
  if (thread.gil == model::GilState::holds) text += ", holds the GIL";
  if (thread.gil == model::GilState::waits) text += ", waits for the GIL";
  text += ", ";
  text += how_in_words(thread.method);
  if (thread.stopped_us > 0) text += " of " + short_time(thread.stopped_us);
  return stack.members.size() > 1 ? "the first: " + text : text;
}

std::string_view frame_mark(model::FrameKind kind) {
  switch (kind) {
    case model::FrameKind::python: return "py";
    case model::FrameKind::inlined: return "in";
    case model::FrameKind::gpu: return "gpu";
    case model::FrameKind::marker: return "--";
    case model::FrameKind::native: return "c";
  }
  return "c";
}

std::string frame_name(const model::Frame& frame) {
  const std::string& raw = frame.kind == model::FrameKind::marker && !frame.note.empty() ? frame.note : frame.function;
  if (raw.empty()) return "??";
  if (raw.size() <= kLongestShown) return printable(raw);
  return printable(std::string_view(raw).substr(0, kLongestShown)) + fmt::format("… ({} bytes)", raw.size());
}

std::string frame_place(const model::Frame& frame) {
  std::string text = source_of(frame);
  if (!frame.module.empty()) {
    if (!text.empty()) text += "  ";
    text += fmt::format("{}+{:#x}", printable(model::base_name(frame.module)), frame.offset);
  }
  if (frame.module.empty() && frame.kind == model::FrameKind::native) text += fmt::format("at {:#x}", frame.address);
  if (frame.trust == model::FrameTrust::guess) text += "  [guess]";
  if (!frame.note.empty() && frame.kind != model::FrameKind::marker) text += "  (" + printable(frame.note) + ")";
  return text;
}

std::string short_command(const std::vector<std::string>& command_line) {
  if (command_line.empty()) return "-";
  std::string text = cut_end(printable(model::base_name(command_line.front())), kWordColumns);
  std::size_t shown = 1;
  while (shown < command_line.size() && is_python_flag(command_line[shown])) ++shown;
  const bool module = shown + 1 < command_line.size() && command_line[shown] == "-m";
  if (module) ++shown;
  if (shown < command_line.size() && !command_line[shown].starts_with("-")) {
    text += (module ? " -m " : " ") + cut_start(printable(command_line[shown]), kWordColumns);
    ++shown;
  }
  if (shown < command_line.size()) text += fmt::format(" … ({} more)", command_line.size() - shown);
  return text;
}

}  // namespace hangstack::report
