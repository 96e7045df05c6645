#include "report/words/verdict.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>

#include "report/printable.h"
#include "report/text/sections.h"
#include "report/words/folding.h"

namespace hangstack::report {
namespace {

constexpr int kLabel = 11;   ///< "  against  "
constexpr int kWho = 16;     ///< widest list of ranks before an observation
constexpr int kSource = 36;  ///< a longer source stands behind the text

Paint paint_of(model::Hung hung) {
  switch (hung) {
    case model::Hung::yes: return Paint::bad;
    case model::Hung::no: return Paint::good;
    case model::Hung::undecided: return Paint::unsure;
  }
  return Paint::unsure;
}

/// `text` over as many lines as it needs, `right` at the right edge of the first.
void with_right_edge(Page& page, const std::string& text, const std::string& right, Paint paint) {
  const int room = page.width() - columns(right) - 2;
  const auto lines = wrapped(text, room);
  page.line(page.paint(paint, lines[0]) +
            std::string(static_cast<std::size_t>(std::max(page.width() - columns(lines[0]) - columns(right), 2)), ' ') +
            page.paint(paint, right));
  for (std::size_t i = 1; i < lines.size(); ++i) page.line("  " + lines[i]);
}

/// A labelled block: the label stands before the first line only.
class Block {
 public:
  Block(Page& page, std::string label) : page_(page), label_(std::move(label)) {}
  void line(const std::string& text) {
    page_.line(page_.paint(Paint::heading, padded("  " + label_, kLabel)) + text);
    label_.clear();
  }
  void paragraph(const std::string& text) {
    for (const auto& l : wrapped(text, page_.width() - kLabel)) line(l);
  }

 private:
  Page& page_;
  std::string label_;
};

/// The text over as many lines as it needs, the source at the right edge of the first one.
void observation(Block& block, const std::string& who, const std::string& text, const std::string& source, int width) {
  const int lead = columns(who);
  const std::string plain = wrapped(text, std::numeric_limits<int>::max()).front();
  const std::string head = wrapped(plain, width - lead - (source.empty() ? 0 : columns(source) + 2)).front();
  block.line(padded(who + head, width - columns(source)) + source);
  if (head.size() == plain.size()) return;
  for (const auto& line : wrapped(plain.substr(head.size()), width - lead)) block.line(padded("", lead) + line);
}

void observations(Page& page, const model::Job& job) {
  const model::RankSet all = rank_numbers(job);
  int who_width = 0;
  for (const auto& o : job.verdict.observations)
    who_width = std::max(who_width, columns(ranks_before_text(o.ranks, all, kWho)));
  if (who_width > 0) who_width += 2;
  Block block(page, "seen");
  for (const auto& o : job.verdict.observations) {
    std::string source = "[" + printable(o.source) + "]";
    std::string text = printable(o.text);
    if (columns(source) > kSource) {
      text += " " + source;
      source.clear();
    }
    observation(block, padded(ranks_before_text(o.ranks, all, kWho), who_width), text, source, page.width() - kLabel);
  }
}

void next_steps(Page& page, const model::Verdict& verdict) {
  Block block(page, "next");
  const int room = page.width() - kLabel;
  for (const auto& step : verdict.next_steps) {
    const std::string why = printable(step.why);
    const std::string command = printable(step.command);
    const std::string_view colon = colon_after(why);
    if (command.empty() || why.empty()) {
      for (const auto& line : command.empty() ? wrapped(why, room) : wrapped_command(command, room)) block.line(line);
    } else if (columns(why) + 3 + columns(command) <= room) {
      block.line(fmt::format("{}{}  {}", why, colon, command));
    } else {
      block.paragraph(fmt::format("{}{}", why, colon));
      for (const auto& line : wrapped_command(command, room - 4)) block.line("    " + line);
    }
  }
}

}  // namespace

void verdict_section(Page& page, const model::Job& job) {
  const model::Verdict& verdict = job.verdict;
  page.gap();
  const std::string confidence = fmt::format("[{}]", model::confidence_name(verdict.confidence));
  std::string text = headline(job, true);
  if (columns(text) + columns(confidence) + 2 > page.width()) text = headline(job, false);
  with_right_edge(page, text, confidence, paint_of(verdict.hung));
  if (verdict.hung != model::Hung::no && !verdict.summary.empty()) {
    page.gap();
    for (const auto& line : wrapped(sentence(verdict.summary), page.width() - 2)) page.line("  " + line);
  }
  page.gap();
  observations(page, job);
  if (verdict.first_cause)
    Block(page, "cause")
        .paragraph(printable(fmt::format("{}: {}", verdict.first_cause->pattern, verdict.first_cause->summary)));
  Block against(page, "against");
  for (const auto& text : verdict.against) against.paragraph(printable(text));
  if (verdict.against.empty() && verdict.hung == model::Hung::yes) against.line("nothing seen");
  next_steps(page, verdict);
  Block verify(page, "verify");
  for (const auto& text : verdict.verification) verify.paragraph(printable(text));
  if (!verdict.reference.empty()) Block(page, "see").paragraph(printable("hangstack explain " + verdict.pattern));
}

}  // namespace hangstack::report
