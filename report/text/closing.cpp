// What stands below the tree: alternatives, decisions, what was not read, and the counts.

#include <fmt/core.h>

#include <algorithm>

#include "report/printable.h"
#include "report/problems.h"
#include "report/text/sections.h"
#include "report/words/cut.h"
#include "report/words/folding.h"
#include "report/words/problem_classes.h"
#include "report/words/verdict.h"

namespace hangstack::report {
namespace {

constexpr int kPatternColumns = 24;
constexpr std::size_t kMostClasses = 40;

void print_class(Page& page, const ProblemClass& one, int subject_width) {
  const model::Error& error = one.members.front().error;
  std::vector<std::string> lines = wrapped(message_of(one), page.width() - subject_width - 4);
  if (!error.fix.empty()) {
    for (auto& l : wrapped("fix: " + printable(error.fix), page.width() - subject_width - 4)) lines.push_back(l);
  }
  std::string subject = subject_of(one);
  for (const auto& line : lines) {
    page.line("  " + padded(subject, subject_width + 2) + line);
    subject.clear();
  }
}

}  // namespace

void alternatives_section(Page& page, const model::Job& job) {
  if (job.alternatives.empty()) return;
  page.gap();
  page.line(page.paint(Paint::heading, "ALSO CONSIDERED"));
  int width = 0;
  for (const auto& a : job.alternatives) width = std::max(width, columns(printable(a.pattern)));
  width = std::min(width, kPatternColumns);
  for (const auto& a : job.alternatives) {
    std::string pattern = cut_end(printable(a.pattern), width);
    for (const auto& line : wrapped(judged_in_words(a), page.width() - width - 5)) {
      page.line("  " + padded(pattern, width + 3) + line);
      pattern.clear();
    }
  }
}

void decisions_section(Page& page, const model::Job& job) {
  if (job.decisions.empty()) return;
  page.gap();
  page.line(page.paint(Paint::heading, "WHY: the rules, in the order they were tried"));
  for (const auto& decision : job.decisions) {
    const auto lines = wrapped(printable(decision), page.width() - 4);
    for (std::size_t i = 0; i < lines.size(); ++i) page.line((i == 0 ? "  " : "    ") + lines[i]);
  }
}

void problems_section(Page& page, const model::Report& report) {
  const auto classes = problem_classes(all_problems(report));
  if (classes.empty()) return;
  page.gap();
  page.line(page.paint(Paint::heading, "NOT READ"));
  int width = 0;
  for (const auto& one : classes) width = std::max(width, columns(subject_of(one)));
  for (std::size_t i = 0; i < std::min(classes.size(), kMostClasses); ++i) print_class(page, classes[i], width);
  if (classes.size() > kMostClasses) {
    page.line(fmt::format("  … {} more kinds of failure: -o report.json has all", classes.size() - kMostClasses));
  }
}

void footer_section(Page& page, const model::Report& report, const TextOptions& options) {
  std::size_t threads = 0;
  std::size_t helpers = 0;
  std::size_t short_stacks = 0;
  for (const auto& history : report.processes) {
    if (history.samples.empty()) continue;
    for (const auto& thread : history.last().threads) {
      ++threads;
      helpers += thread.suppressed ? 1 : 0;
      short_stacks += !thread.frames.empty() && !thread.complete ? 1 : 0;
    }
  }
  page.gap();
  if (threads == 0) {
    if (report.sampling.samples > 0 || report.processes.empty()) page.line("No thread was read.");
    return;
  }
  std::string counts = counted(threads, "thread", "threads");
  const bool shown = options.full || options.all_threads;
  if (helpers > 0) counts += ", " + counted(helpers, "idle helper", "idle helpers") + (shown ? "" : " folded");
  if (short_stacks > 0) counts += ", " + counted(short_stacks, "incomplete stack", "incomplete stacks");
  std::vector<std::string> parts{counts};
  if (helpers > 0 && !shown) parts.emplace_back("helpers: --all-threads");
  parts.emplace_back(options.full ? "for programs: -o FILE.json" : "every stack: --full, -o FILE.json");
  page.parts(parts, Paint::faint);
}

}  // namespace hangstack::report
