#include "report/text/stacks.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "model/duration.h"
#include "model/file_path.h"
#include "report/printable.h"
#include "report/text/chain_lines.h"
#include "report/text/folding.h"
#include "report/text/sections.h"

namespace hangstack::report {
namespace {

constexpr int kFrameIndent = 9;
constexpr int kNameColumns = 38;             ///< places start here where they fit
constexpr std::size_t kLongestShown = 1000;  ///< bytes of one name; JSON has the whole
constexpr int kNumbers = 30;                 ///< columns for lists of pids and thread ids

std::vector<std::string> threads_in_words(const StackClass& stack) {
  model::RankSet ranks;
  std::vector<std::int32_t> pids;
  std::vector<std::int32_t> tids;
  for (const auto& [process, thread] : stack.members) {
    if (process->identity.rank && process->identity.role == model::Role::rank) ranks.insert(*process->identity.rank);
    pids.push_back(process->pid);
    tids.push_back(thread->tid);
  }
  std::vector<std::string> parts;
  if (!ranks.empty()) parts.push_back(ranks_in_words(ranks, kNumbers));
  const std::size_t processes = std::set<std::int32_t>(pids.begin(), pids.end()).size();
  parts.push_back((processes == 1 ? "pid " : "pids ") + fitting_list(folded_pids(pids), processes, kNumbers));
  parts.push_back((tids.size() == 1 ? "thread " : "threads ") + fitting_list(folded_pids(tids), tids.size(), kNumbers));
  return parts;
}

/// `"pt_main_thread"`, with Python's name for it if that says more.
std::string names_in_words(const StackClass& stack) {
  const model::Thread& thread = *stack.members.front().thread;
  std::string text = "\"" + printable(thread.name) + "\"";
  if (!thread.python_name.empty()) text += " (" + printable(thread.python_name) + ")";
  const bool same = std::all_of(stack.members.begin(), stack.members.end(),
                                [&](const auto& m) { return m.thread->name == thread.name; });
  return same ? text : text + " and others";
}

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

std::string_view mark_of(model::FrameKind kind) {
  switch (kind) {
    case model::FrameKind::python: return "py";
    case model::FrameKind::inlined: return "in";
    case model::FrameKind::gpu: return "gpu";
    case model::FrameKind::marker: return "--";
    case model::FrameKind::native: return "c";
  }
  return "c";
}

std::string source_of(const model::Frame& frame) {
  if (frame.file.empty()) return {};
  const std::string file = printable(frame.file);
  return frame.line > 0 ? fmt::format("{}:{}", file, frame.line) : file;
}

std::string place_of(const model::Frame& frame) {
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

std::string name_of(const model::Frame& frame) {
  const std::string& raw = frame.kind == model::FrameKind::marker && !frame.note.empty() ? frame.note : frame.function;
  if (raw.empty()) return "??";
  if (raw.size() <= kLongestShown) return printable(raw);
  return printable(std::string_view(raw).substr(0, kLongestShown)) + fmt::format("… ({} bytes)", raw.size());
}

}  // namespace

void print_stack_heading(Page& page, const StackClass& stack) {
  const model::Thread& thread = *stack.members.front().thread;
  std::vector<std::string> parts = threads_in_words(stack);
  parts.push_back(names_in_words(stack));
  if (!thread.role.empty()) parts.push_back(printable(thread.role));
  if (thread.blocking) parts.emplace_back("[blocking]");
  if (thread.suppressed) parts.emplace_back("[idle helper]");
  page.parts(parts, Paint::heading);
  for (const auto& l : wrapped(facts_of(stack), page.width() - 2)) page.line("  " + l);
}

void print_frames(Page& page, const model::Thread& thread) {
  const int room = page.width() - kFrameIndent;
  for (std::size_t i = 0; i < thread.frames.size(); ++i) {
    const model::Frame& frame = thread.frames[i];
    const std::string place = place_of(frame);
    std::string lead = fmt::format("{:>4} {:<3} ", i, mark_of(frame.kind));
    const std::string name = name_of(frame);
    if (columns(name) < kNameColumns && kNameColumns + columns(place) <= room) {
      page.line(fmt::format("{}{}{}", lead, padded(name, kNameColumns), place));
      continue;
    }
    if (columns(name) + 2 + columns(place) <= room) {
      page.line(fmt::format("{}{}  {}", lead, name, place));
      continue;
    }
    for (const auto& l : wrapped(name, room)) {
      page.line(lead + l);
      lead.assign(kFrameIndent, ' ');
    }
    for (const auto& l : wrapped(place, room - 2)) page.line(fmt::format("{}  {}", lead, l));
  }
  if (thread.complete) return;
  const std::string why = thread.end.empty() ? "not known" : printable(thread.end);
  for (const auto& l : wrapped("ends here: " + why, room)) page.line(std::string(kFrameIndent, ' ') + l);
}

void print_chain(Page& page, const model::Thread& thread) {
  std::vector<model::Frame> outermost_first(thread.frames.rbegin(), thread.frames.rend());
  const auto steps = chain_steps(outermost_first);
  const ChainRoom room{page.width() - 4, page.width() - 4, 3};
  for (const auto& line : chain_lines(steps, room)) page.line("    " + line);
}

}  // namespace hangstack::report
