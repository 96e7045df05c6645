#include <fmt/core.h>

#include <algorithm>

#include "report/html/parts.h"
#include "report/words/folding.h"
#include "report/words/frame_names.h"
#include "report/words/threads.h"

namespace hangstack::report {
namespace {

constexpr int kNumbers = 60;  ///< columns for lists of pids and thread ids
/// Stacks that all differ could be megabytes for each rank: what is beyond is counted, and JSON has it.
constexpr std::size_t kMostFrames = 60'000;

std::size_t frames_of(const StackClass& stack) { return stack.members.front().thread->frames.size(); }

/// Where the program is and what it waits in: the innermost Python step and the innermost one.
void write_gist(HtmlWriter& html, const model::Thread& thread) {
  const auto steps = chain_steps(thread);
  const auto python = std::find_if(steps.rbegin(), steps.rend(), [](const ChainStep& step) { return step.python; });
  if (python != steps.rend()) html.element("span", "step py", python->label);
  if (!steps.empty() && !steps.back().python) html.element("span", "step", steps.back().label);
}

void write_frames(HtmlWriter& html, const model::Thread& thread) {
  html.open("ol", "frames", {{"start", "0"}});
  for (const auto& frame : thread.frames) {
    html.open("li", is_machinery(frame) ? "machinery" : frame.kind == model::FrameKind::python ? "py" : "");
    html.element("span", "mark", frame_mark(frame.kind));
    html.text(" ");
    html.element("span", "name", frame_name(frame));
    html.text(" ");
    html.element("span", "place", frame_place(frame));
    html.close();
  }
  html.close();
  if (!thread.complete) html.element("p", "end", "ends here: " + (thread.end.empty() ? "not known" : thread.end));
}

void write_stack(HtmlPage& page, const StackClass& stack) {
  HtmlWriter& html = page.html;
  const model::Thread& thread = *stack.members.front().thread;
  const model::RankSet ranks = ranks_of(stack);
  open_filtered(page, "details", thread.blocking ? "stack blocking" : "stack", ranks);
  html.open("summary");
  if (!ranks.empty()) write_ranks(page, ranks);
  html.element("span", "thread", thread.role.empty() ? names_in_words(stack) : thread.role);
  write_gist(html, thread);
  html.close();
  html.open("p", "facts");
  for (const auto& part : threads_in_words(stack, kNumbers)) html.element("span", {}, part);
  html.element("span", {}, names_in_words(stack));
  html.element("span", {}, facts_of(stack));
  html.close();
  write_frames(html, thread);
  html.close();
}

/// How many of `stacks` from `first` on are written before the page holds too many frames.
std::size_t write_some(HtmlPage& page, const std::vector<StackClass>& stacks, std::size_t first, std::size_t last,
                       std::size_t& frames) {
  std::size_t at = first;
  for (; at < last; ++at) {
    frames += frames_of(stacks[at]);
    if (frames > kMostFrames) break;
    write_stack(page, stacks[at]);
  }
  return last - at;
}

}  // namespace

void write_stacks(HtmlPage& page, const model::Job* job) {
  auto processes = last_samples(page.report);
  std::erase_if(processes, [&](const auto* process) { return page.index.job_of(*process) != job; });
  const auto stacks = stack_classes(processes, true);
  if (stacks.empty()) return;
  const auto helper = std::ranges::find_if(stacks, [](const auto& s) { return s.members.front().thread->suppressed; });
  const auto helpers = static_cast<std::size_t>(helper - stacks.begin());
  std::size_t threads = 0;
  for (const auto& stack : stacks) threads += stack.members.size();
  page.html.open("section", "stacks");
  page.html.open("h2");
  page.html.text(job == nullptr ? "Stacks of processes of no job" : "Stacks");
  page.html.element("span", "legend",
                    fmt::format("{}, each of their {} once, innermost frame first",
                                counted(threads, "thread", "threads"), counted(stacks.size(), "stack", "stacks")));
  page.html.close();
  std::size_t frames = 0;
  std::size_t left_out = write_some(page, stacks, 0, helpers, frames);
  if (helpers < stacks.size()) {
    page.html.open("details", "helpers");
    page.html.element("summary", {},
                      counted(stacks.size() - helpers, "stack of idle helpers", "stacks of idle helpers"));
    left_out += write_some(page, stacks, helpers, stacks.size(), frames);
    page.html.close();
  }
  if (left_out > 0)
    page.html.element("p", "more", counted(left_out, "more stack", "more stacks") + ": -o report.json has all");
  page.html.close();
}

}  // namespace hangstack::report
