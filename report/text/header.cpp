#include "report/text/sections.h"
#include "report/words/cut.h"
#include "report/words/sampling.h"

namespace hangstack::report {

void header_section(Page& page, const model::Report& report) { page.parts(header_parts(report)); }

void job_heading(Page& page, const model::Job& job) {
  page.line(page.paint(Paint::heading, cut_end(job_title(job), page.width())));
  page.gap();
}

}  // namespace hangstack::report
