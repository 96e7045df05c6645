#include <fmt/core.h>

#include "model/diagnosis.h"
#include "report/html/parts.h"
#include "report/printable.h"
#include "report/words/verdict.h"

namespace hangstack::report {
namespace {

std::string_view style_of(model::Hung hung) {
  switch (hung) {
    case model::Hung::yes: return "verdict hung";
    case model::Hung::no: return "verdict moving";
    case model::Hung::undecided: return "verdict undecided";
  }
  return "verdict undecided";
}

/// One part of the argument: its label and, in a cell of its own, what belongs there.
class Part {
 public:
  Part(HtmlWriter& html, std::string_view label) : html_(html) {
    html_.element("dt", {}, label);
    html_.open("dd");
  }
  ~Part() { html_.close(); }
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;

 private:
  HtmlWriter& html_;
};

void write_command(HtmlWriter& html, std::string_view command) {
  html.open("pre", "command");
  html.element("code", {}, command);
  html.close();
}

void write_observations(HtmlPage& page, const model::Job& job) {
  if (job.verdict.observations.empty()) return;
  const model::RankSet all = rank_numbers(job);
  const Part part(page.html, "seen");
  page.html.open("table", "seen");
  for (const auto& observation : job.verdict.observations) {
    page.html.open("tr");
    page.html.open("td", "who");
    if (!all.empty() && observation.ranks == all && all.size() > 1) {
      page.html.text("all");
    } else if (!all.empty()) {
      if (observation.ranks.size() == 1) page.html.text("rank ");
      write_ranks(page, observation.ranks);
    }
    page.html.close();
    page.html.element("td", {}, observation.text);
    page.html.element("td", "source", observation.source);
    page.html.close();
  }
  page.html.close();
}

void write_texts(HtmlWriter& html, std::string_view label, const std::vector<std::string>& texts) {
  if (texts.empty()) return;
  const Part part(html, label);
  for (const auto& text : texts) html.element("p", {}, text);
}

void write_next_steps(HtmlWriter& html, const model::Verdict& verdict) {
  const bool explained = !verdict.reference.empty();
  if (verdict.next_steps.empty() && !explained) return;
  const Part part(html, "next");
  bool told = false;
  const std::string page = "hangstack explain " + printable(verdict.pattern);
  for (const auto& step : verdict.next_steps) {
    if (!step.why.empty())
      html.element("p", {}, step.why + std::string(step.command.empty() ? "" : colon_after(step.why)));
    if (!step.command.empty()) write_command(html, step.command);
    told = told || step.command == page;
  }
  if (!explained || told) return;
  html.element("p", {}, "what this pattern is, its look-alikes, the fix and its checks:");
  write_command(html, page);
}

void write_alternatives(HtmlWriter& html, const model::Job& job) {
  if (job.alternatives.empty()) return;
  const Part part(html, "alternatives");
  for (const auto& alternative : job.alternatives) {
    html.open("p");
    html.element("b", {}, alternative.pattern);
    html.text("  " + judged_in_words(alternative));
    html.close();
  }
}

}  // namespace

void write_argument(HtmlPage& page, const model::Job& job) {
  HtmlWriter& html = page.html;
  const model::Verdict& verdict = job.verdict;
  html.open("section", style_of(verdict.hung));
  html.open("h1");
  html.text(headline(job, true));
  html.text(" ");
  html.open("span", "confidence");
  html.text(model::confidence_name(verdict.confidence));
  html.close();
  html.close();
  if (verdict.hung != model::Hung::no && !verdict.summary.empty())
    html.element("p", "summary", sentence(verdict.summary));
  html.open("dl");
  write_observations(page, job);
  if (verdict.first_cause)
    write_texts(html, "cause", {fmt::format("{}: {}", verdict.first_cause->pattern, verdict.first_cause->summary)});
  const bool nothing = verdict.against.empty() && verdict.hung == model::Hung::yes;
  write_texts(html, "against", nothing ? std::vector<std::string>{"nothing seen"} : verdict.against);
  write_next_steps(html, verdict);
  write_texts(html, "verify", verdict.verification);
  write_alternatives(html, job);
  html.close();
  html.close();
}

void write_decisions(HtmlPage& page, const model::Job& job) {
  if (job.decisions.empty()) return;
  page.html.open("details", "why");
  page.html.element("summary", {}, "Rules, in the order they were tried");
  page.html.open("ul");
  for (const auto& decision : job.decisions) page.html.element("li", {}, decision);
  page.html.close();
  page.html.close();
}

}  // namespace hangstack::report
