#include "report/words/ras.h"

#include "report/text/sections.h"

namespace hangstack::report {

void ras_section(Page& page, const model::Job& job) {
  for (const model::RasRecord& record : job.ras) {
    const std::string text = ras_in_words(record);
    if (text.empty()) continue;
    page.gap();
    for (const auto& line : wrapped(text, page.width())) page.line(line);
  }
}

}  // namespace hangstack::report
