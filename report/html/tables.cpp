#include <fmt/core.h>

#include <algorithm>

#include "model/duration.h"
#include "report/html/parts.h"
#include "report/words/folding.h"
#include "report/words/rank_table.h"
#include "report/words/sampling.h"
#include "report/words/threads.h"

namespace hangstack::report {
namespace {

constexpr int kSetColumns = 32;   ///< a longer set is cut
constexpr int kListColumns = 60;  ///< in sentences
constexpr std::size_t kMostRows = 500;
constexpr std::size_t kMostProcesses = 20'000;

}  // namespace

std::string RankSets::number_of(const model::RankSet& ranks) {
  const auto [at, fresh] = numbers_.try_emplace(ranks.folded(), folded_.size());
  if (fresh) folded_.push_back(at->first);
  return std::to_string(at->second);
}

std::string RankSets::number_of_cut(const model::RankSet& ranks) {
  any_cut_ = true;
  return number_of(ranks);
}

void write_ranks(HtmlPage& page, const model::RankSet& ranks) {
  const std::string whole = ranks.folded();
  const std::string shown = fitting_list(whole, ranks.size(), kSetColumns);
  if (shown == whole) {
    page.html.element("span", "ranks", whole);
    return;
  }
  page.html.open("a", "ranks", {{"href", "#s" + page.sets.number_of_cut(ranks)}});
  page.html.text(shown);
  page.html.close();
}

void open_filtered(HtmlPage& page, std::string_view tag, std::string_view style, const model::RankSet& ranks) {
  page.html.open(tag, style, {{"data-ranks", ranks.empty() ? std::string() : page.sets.number_of(ranks)}});
}

void write_table(HtmlPage& page, const std::vector<std::string>& heading, const std::vector<TableRow>& rows) {
  const bool ranks = std::ranges::any_of(rows, [](const TableRow& row) { return !row.ranks.empty(); });
  page.html.open("div", "wide");
  page.html.open("table");
  page.html.open("tr");
  if (ranks) page.html.element("th", {}, "rank");
  for (const auto& name : heading) page.html.element("th", {}, name);
  page.html.close();
  for (std::size_t i = 0; i < std::min(rows.size(), kMostRows); ++i) {
    open_filtered(page, "tr", rows[i].blamed ? "blamed" : "", rows[i].ranks);
    if (ranks) {
      page.html.open("td");
      write_ranks(page, rows[i].ranks);
      page.html.close();
    }
    for (const auto& cell : rows[i].cells) page.html.element("td", {}, cell);
    page.html.close();
  }
  page.html.close();
  page.html.close();
  if (rows.size() > kMostRows)
    page.html.element("p", "more", fmt::format("{} more rows: -o report.json has all", rows.size() - kMostRows));
}

void write_rank_table(HtmlPage& page, const model::Job& job) {
  const RankTable table = rank_table(job, page.report, kListColumns);
  if (table.empty()) return;
  page.html.open("section");
  page.html.element("h2", {}, table.ranks ? "Ranks, by what they wait in" : "Processes, by what they wait in");
  std::vector<std::string> heading = table.heading();
  if (table.ranks) heading.erase(heading.begin());
  std::vector<TableRow> rows;
  rows.reserve(table.rows.size());
  for (const RankTableRow& row : table.rows) {
    std::vector<std::string> cells = table.cells(row, kSetColumns);
    if (table.ranks) cells.erase(cells.begin());
    rows.push_back({table.ranks ? row.group.ranks : model::RankSet(), std::move(cells), row.blamed});
  }
  if (!rows.empty()) write_table(page, heading, rows);
  if (!table.missing.empty()) page.html.element("p", {}, table.missing);
  if (!table.others.empty()) page.html.element("p", {}, "with them: " + table.others);
  page.html.close();
}

void write_processes(HtmlPage& page, const model::Job& job) {
  if (job.ranks.empty()) return;
  page.html.open("details", "processes");
  page.html.element("summary", {},
                    fmt::format("{}: who they are, how they were read and for how long",
                                counted(job.ranks.size(), "process", "processes")));
  page.html.element("p", {}, stop_summary(page.report.sampling));
  page.html.open("table");
  page.html.open("tr");
  for (const char* name : {"rank", "host", "pid", "in its namespace", "role", "Python", "moved", "asleep for",
                           "stopped for", "read", "command"})
    page.html.element("th", {}, name);
  page.html.close();
  for (std::size_t i = 0; i < std::min(job.ranks.size(), kMostProcesses); ++i) {
    const model::RankRow& row = job.ranks[i];
    const model::ProcessSnapshot* process = page.index.process(row);
    open_filtered(page, "tr", {}, row.rank ? model::RankSet({*row.rank}) : model::RankSet());
    page.html.element("td", {}, row.rank ? std::to_string(*row.rank) : "");
    page.html.element("td", {}, row.dump.empty() ? row.host : row.dump);
    page.html.element("td", {}, row.pid == 0 ? "" : std::to_string(row.pid));
    page.html.element("td", {}, row.ns_pid == 0 ? "" : std::to_string(row.ns_pid));
    page.html.element("td", {}, model::role_name(row.role));
    page.html.element("td", {}, process == nullptr || process->pythons.empty() ? "" : process->pythons.front().version);
    page.html.element("td", {}, !row.moved ? "" : *row.moved ? "yes" : "no");
    page.html.element("td", {}, row.asleep_s ? model::duration(*row.asleep_s) : "");
    page.html.element("td", {}, row.stopped_us > 0 ? short_time(row.stopped_us) : "");
    page.html.element("td", {}, model::rank_status_name(row.status));
    page.html.element("td", {}, process == nullptr ? "" : short_command(process->command_line));
    page.html.close();
  }
  page.html.close();
  if (job.ranks.size() > kMostProcesses)
    page.html.element("p", "more", fmt::format("{} more: -o report.json has all", job.ranks.size() - kMostProcesses));
  page.html.close();
}

}  // namespace hangstack::report
