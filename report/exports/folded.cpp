#include <fmt/core.h>

#include <map>

#include "report/exports/stack_labels.h"
#include "report/words/stack_classes.h"

namespace hangstack::report {
namespace {

/// The format has no escapes: what would part a frame in two is written as a byte of C.
std::string folded_word(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == ';') {
      out += "\\x3b";
    } else {
      out += c;
    }
  }
  return out;
}

/// flamegraph.pl takes two numbers at the end of a line for the difference of two profiles: a name that ends in one
/// must not look like a count.
std::string without_number_at_end(std::string line) {
  const std::size_t space = line.find_last_of(' ');
  const bool number = space != std::string::npos && space + 1 < line.size() &&
                      line.find_first_not_of("0123456789.", space + 1) == std::string::npos;
  if (number) line.replace(space, 1, "\\x20");
  return line;
}

/// flamegraph.pl and inferno colour by such endings, and know "_[i]".
std::string_view mark_of(model::FrameKind kind) {
  switch (kind) {
    case model::FrameKind::python: return "_[p]";
    case model::FrameKind::inlined: return "_[i]";
    default: return "";
  }
}

}  // namespace

std::string write_folded(const model::Report& report, const StackOptions& options) {
  std::string out;
  const ProcessIndex index(report);
  for (const model::ProcessSnapshot* process : last_samples(report)) {
    // Equal stacks of one process are one line; they stay in the order of the report.
    std::map<std::string, std::size_t> known;
    std::vector<std::pair<std::string, int>> lines;
    const std::string head = folded_word(process_label(*process, index, report.jobs.size() > 1));
    for (const model::Thread* thread : exported_threads(*process, options)) {
      std::string line = head + ";" + folded_word(thread_label(*thread));
      for (const model::Frame* frame : exported_frames(*thread, options))
        line += ";" + folded_word(stack_label(*frame) + std::string(mark_of(frame->kind)));
      line = without_number_at_end(std::move(line));
      const auto [at, fresh] = known.try_emplace(line, lines.size());
      if (fresh) lines.emplace_back(line, 0);
      ++lines[at->second].second;
    }
    for (const auto& [line, count] : lines) out += fmt::format("{} {}\n", line, count);
  }
  return out;
}

}  // namespace hangstack::report
