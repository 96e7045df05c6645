#include "report/text/sections.h"

namespace hangstack::report {

std::string write_text(const model::Report& report, const TextOptions& options) {
  Page page(options.width, options.color);
  header_section(page, report);
  for (const auto& job : report.jobs) {
    page.gap();
    if (report.jobs.size() > 1) job_heading(page, job);
    verdict_section(page, job);
    ranks_section(page, job, report);
    tree_section(page, job, options.full);
    ras_section(page, job);
    logs_section(page, job);
    alternatives_section(page, job);
    if (options.why) decisions_section(page, job);
  }
  problems_section(page, report);
  if (options.full || options.all_threads) stacks_section(page, report, options);
  footer_section(page, report, options);
  return page.take();
}

}  // namespace hangstack::report
