#include <fmt/core.h>

#include "report/html/embedded.h"
#include "report/html/parts.h"
#include "report/printable.h"
#include "report/problems.h"
#include "report/report.h"
#include "report/words/folding.h"
#include "report/words/problem_classes.h"
#include "report/words/sampling.h"
#include "report/words/verdict.h"

namespace hangstack::report {
namespace {

std::string title_of(const model::Report& report) {
  if (report.jobs.empty()) return "hangstack: no job";
  const std::string first = headline(report.jobs.front(), false);
  return report.jobs.size() == 1 ? first : fmt::format("{} (and {} more)", first, report.jobs.size() - 1);
}

void write_head(HtmlPage& page) {
  HtmlWriter& html = page.html;
  // Nothing is fetched, and of scripts and styles only these two run: a name of a target that got past the escapes
  // could do nothing.
  const std::string policy =
      fmt::format("default-src 'none'; style-src '{}'; script-src '{}'; base-uri 'none'; form-action 'none'",
                  html_style().hash, html_script().hash);
  html.open("head");
  html.empty_element("meta", {{"charset", "utf-8"}});
  html.empty_element(
      "meta", {{"name", "generator"}, {"content", "hangstack-report/html " + printable(page.report.tool_version)}});
  html.empty_element("meta", {{"http-equiv", "Content-Security-Policy"}, {"content", policy}});
  html.empty_element("meta", {{"name", "viewport"}, {"content", "width=device-width, initial-scale=1"}});
  html.empty_element("meta", {{"name", "color-scheme"}, {"content", "light dark"}});
  html.empty_element("meta", {{"name", "referrer"}, {"content", "no-referrer"}});
  html.element("title", {}, title_of(page.report));
  html.embedded("style", html_style().text);
  html.close();
}

void write_header(HtmlPage& page) {
  page.html.open("header");
  for (const auto& part : header_parts(page.report)) page.html.element("span", {}, part);
  page.html.close();
}

/// Shown by the script: without it, it could do nothing.
void write_tools(HtmlWriter& html) {
  html.open("div", "tools", {{"id", "tools"}, {"role", "search"}, {"hidden", ""}});
  html.empty_element("input", {{"id", "find"},
                               {"type", "search"},
                               {"autocomplete", "off"},
                               {"spellcheck", "false"},
                               {"placeholder", "filter: frame, file, library"},
                               {"aria-label", "frames, files or libraries to show"}});
  html.empty_element("input", {{"id", "ranks"},
                               {"type", "search"},
                               {"autocomplete", "off"},
                               {"placeholder", "ranks: 0-5,7"},
                               {"aria-label", "ranks to show"}});
  html.open("button", {}, {{"id", "open"}, {"type", "button"}});
  html.text("open all");
  html.close();
  html.open("button", {}, {{"id", "shut"}, {"type", "button"}});
  html.text("close all");
  html.close();
  html.open("span", "count", {{"id", "count"}, {"role", "status"}});
  html.close();
  html.close();
}

std::string anchor_of(std::size_t job) { return fmt::format("job-{}", job + 1); }

void write_contents(HtmlPage& page) {
  if (page.report.jobs.size() < 2) return;
  page.html.open("nav");
  page.html.open("ul");
  for (std::size_t i = 0; i < page.report.jobs.size(); ++i) {
    page.html.open("li");
    page.html.open("a", {}, {{"href", "#" + anchor_of(i)}});
    page.html.text(page.report.jobs[i].job);
    page.html.close();
    page.html.text(" " + headline(page.report.jobs[i], false));
    page.html.close();
  }
  page.html.close();
  page.html.close();
}

void write_job_section(HtmlPage& page, std::size_t number) {
  const model::Job& job = page.report.jobs[number];
  page.html.open("article", {}, {{"id", anchor_of(number)}});
  if (page.report.jobs.size() > 1) page.html.element("p", "job", job_title(job));
  write_argument(page, job);
  write_rank_table(page, job);
  write_tree(page, job);
  write_records(page, job);
  write_stacks(page, &job);
  write_processes(page, job);
  write_decisions(page, job);
  page.html.close();
}

/// Sets that a reader cannot see in full elsewhere, and that the script looks up.
void write_sets(HtmlPage& page) {
  if (page.sets.all().empty()) return;
  // What is not cut anywhere is only there to be looked up by the script.
  if (page.sets.any_cut()) {
    page.html.open("details", "sets");
  } else {
    page.html.open("details", "sets", {{"hidden", ""}});
  }
  page.html.element("summary", {}, "Sets of ranks in full");
  page.html.open("ul");
  for (std::size_t i = 0; i < page.sets.all().size(); ++i) {
    page.html.open("li", {}, {{"id", fmt::format("s{}", i)}});
    page.html.text(page.sets.all()[i]);
    page.html.close();
  }
  page.html.close();
  page.html.close();
}

}  // namespace

void write_problems(HtmlPage& page) {
  const auto classes = problem_classes(all_problems(page.report));
  if (classes.empty()) return;
  page.html.open("section");
  page.html.element("h2", {}, "Not read");
  std::vector<TableRow> rows;
  rows.reserve(classes.size());
  for (const auto& one : classes) {
    const model::Error& error = one.members.front().error;
    rows.push_back({{}, {subject_of(one), message_of(one), printable(error.fix)}});
  }
  write_table(page, {"what", "why", "fix"}, rows);
  page.html.close();
}

std::string write_html(const model::Report& report) {
  std::string out = "<!DOCTYPE html>\n";
  HtmlWriter html(out);
  RankSets sets;
  const ProcessIndex index(report);
  HtmlPage page{html, sets, report, index};
  html.open("html", {}, {{"lang", "en"}});
  write_head(page);
  html.open("body");
  write_header(page);
  write_tools(html);
  html.open("main");
  write_contents(page);
  for (std::size_t i = 0; i < report.jobs.size(); ++i) write_job_section(page, i);
  write_problems(page);
  write_stacks(page, nullptr);
  write_sets(page);
  html.close();
  html.open("footer");
  html.text("hangstack " + printable(report.tool_version) + ", from " + utc_time(report.created_unix_s));
  html.close();
  html.embedded("script", html_script().text);
  html.close();
  html.close();
  return out;
}

}  // namespace hangstack::report
