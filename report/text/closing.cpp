// What stands below the tree: alternatives, decisions, what was not read, and the counts.

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "model/without_numbers.h"
#include "report/printable.h"
#include "report/problems.h"
#include "report/text/folding.h"
#include "report/text/sections.h"

namespace hangstack::report {
namespace {

constexpr int kPatternColumns = 24;
constexpr int kSubjectColumns = 24;
constexpr int kScopeColumns = 10;
constexpr std::size_t kMostClasses = 40;

/// Failures that differ only in numbers.
struct ProblemClass {
  std::vector<const model::Problem*> members;
};

std::vector<ProblemClass> classes_of(const std::vector<model::Problem>& problems) {
  std::map<std::tuple<std::string, model::ErrorCode, std::string, std::string>, std::size_t> known;
  std::vector<ProblemClass> classes;
  for (const auto& p : problems) {
    const auto [it, fresh] = known.try_emplace(
        {p.scope, p.error.code, model::without_numbers(p.error.message), model::without_numbers(p.error.fix)},
        classes.size());
    if (fresh) classes.emplace_back();
    classes[it->second].members.push_back(&p);
  }
  return classes;
}

/// "pid 41880", "pids 41880-7", "host gpu07".
std::string subject_of(const ProblemClass& one) {
  const model::Problem& first = *one.members.front();
  const std::string scope = cut_end(printable(first.scope), kScopeColumns);
  if (one.members.size() == 1) return cut_end(scope + " " + printable(first.subject), kSubjectColumns);
  std::vector<std::int32_t> numbers;
  for (const auto* problem : one.members) {
    const std::string& s = problem->subject;
    const bool number = !s.empty() && s.size() < 10 && s.find_first_not_of("0123456789") == std::string::npos;
    if (number) numbers.push_back(std::stoi(s));
  }
  if (numbers.size() != one.members.size()) return fmt::format("{} {}s", one.members.size(), scope);
  return scope + "s " + fitting_list(folded_pids(numbers), numbers.size(), kSubjectColumns - columns(scope) - 2);
}

void print_class(Page& page, const ProblemClass& one, int subject_width) {
  const model::Error& error = one.members.front()->error;
  std::string message = printable(error.message);
  if (one.members.size() > 1) message += fmt::format(" (and {} more)", one.members.size() - 1);
  std::vector<std::string> lines = wrapped(message, page.width() - subject_width - 4);
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
    const bool open = a.confidence != model::Confidence::unknown;
    const std::string judged = open ? std::string(model::confidence_name(a.confidence)) + ", but " : "no: ";
    std::string pattern = cut_end(printable(a.pattern), width);
    for (const auto& line : wrapped(judged + printable(a.why_not), page.width() - width - 5)) {
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
  const auto problems = all_problems(report);
  if (problems.empty()) return;
  const auto classes = classes_of(problems);
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
