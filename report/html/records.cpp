#include <fmt/core.h>

#include "report/html/parts.h"
#include "report/printable.h"
#include "report/record_summary.h"
#include "report/words/ras.h"
#include "report/words/record_rows.h"

namespace hangstack::report {
namespace {

void write_rows(HtmlPage& page, RecordRows&& table) {
  if (table.rows.empty()) return;
  std::vector<TableRow> rows;
  rows.reserve(table.rows.size());
  for (RecordRow& row : table.rows) rows.push_back({std::move(row.ranks), std::move(row.cells)});
  write_table(page, table.heading, rows);
}

void write_summary(HtmlPage& page, std::string_view name, const RecordSummary& summary) {
  page.html.element("h3", {}, name);
  if (summary.status == model::RecordStatus::ok) return;
  page.html.element("p", "absent",
                    fmt::format("{}: {}", model::record_status_name(summary.status), printable(summary.reason)));
}

}  // namespace

void write_records(HtmlPage& page, const model::Job& job) {
  const auto ranks = rank_processes(job, page.index);
  if (ranks.empty()) return;
  page.html.open("section", "records");
  page.html.element("h2", {}, "Records");
  write_summary(page, "PyTorch's flight recorder: what each group has begun", flight_recorder_summary(ranks));
  write_rows(page, operation_rows(ranks));
  write_summary(page, "NCCL's communicators, in memory", communicators_summary(ranks));
  write_rows(page, communicator_rows(ranks));
  bool asked = false;
  for (const model::RasRecord& record : job.ras) {
    const std::string text = ras_in_words(record);
    if (text.empty()) continue;
    if (!asked) page.html.element("h3", {}, "NCCL's RAS");
    asked = true;
    page.html.element("p", record.reply.status == model::RecordStatus::ok ? "" : "absent", text);
  }
  write_rows(page, ras_rows(job));
  page.html.close();
}

}  // namespace hangstack::report
