#include "report/text/stacks.h"

#include <fmt/core.h>

#include <algorithm>

#include "report/printable.h"
#include "report/text/chain_lines.h"
#include "report/text/sections.h"
#include "report/words/folding.h"
#include "report/words/threads.h"

namespace hangstack::report {
namespace {

constexpr int kFrameIndent = 9;
constexpr int kNameColumns = 38;  ///< places start here where they fit
constexpr int kNumbers = 30;      ///< columns for lists of pids and thread ids

}  // namespace

void print_stack_heading(Page& page, const StackClass& stack) {
  const model::Thread& thread = *stack.members.front().thread;
  std::vector<std::string> parts = threads_in_words(stack, kNumbers);
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
    const std::string place = frame_place(frame);
    std::string lead = fmt::format("{:>4} {:<3} ", i, frame_mark(frame.kind));
    const std::string name = frame_name(frame);
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
  const auto steps = chain_steps(thread);
  const ChainRoom room{page.width() - 4, page.width() - 4, 3};
  for (const auto& line : chain_lines(steps, room)) page.line("    " + line);
}

}  // namespace hangstack::report
