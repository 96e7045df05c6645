#include "report/text/sections.h"
#include "report/words/rank_table.h"

namespace hangstack::report {
namespace {

constexpr int kRankColumns = 20;

}  // namespace

void ranks_section(Page& page, const model::Job& job, const model::Report& report) {
  const RankTable ranks = rank_table(job, report, page.width() - 30);
  if (ranks.empty()) return;
  const std::vector<std::string> heading = ranks.heading();
  Table table(heading);
  for (const RankTableRow& row : ranks.rows)
    table.row(ranks.cells(row, kRankColumns), row.blamed ? Paint::bad : Paint::none);
  page.gap();
  page.line(page.paint(Paint::heading, ranks.ranks ? "RANKS" : "PROCESSES"));
  if (!ranks.rows.empty()) table.print(page, 2, heading.size() - 2);
  if (!ranks.missing.empty()) page.line("  " + ranks.missing);
  if (ranks.others.empty()) return;
  for (const auto& line : wrapped("with them: " + ranks.others, page.width() - 2)) page.line("  " + line);
}

}  // namespace hangstack::report
