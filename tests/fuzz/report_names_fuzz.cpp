// Names of a target in every form that a report has.

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "report/html/embedded.h"
#include "report/report.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/hostile_report.h"
#include "tests/support/html_check.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hangstack;
  if (size > 4096) return 0;
  const model::Report named = tests::report_named(std::string(tests::text_of(data, size)));
  const auto page = report::write_html(named);
  if (tests::fault_of_html(page, report::html_style().text, report::html_script().text)) __builtin_trap();
  if (!nlohmann::json::accept(report::write_json(named))) __builtin_trap();
  if (!nlohmann::json::accept(report::write_speedscope(named, {true, true}))) __builtin_trap();
  // What would part a line or a frame: two ranks with two threads of six frames each, in two jobs of one process each.
  const std::string folded = report::write_folded(named, {true, true});
  const auto lines = std::ranges::count(folded, '\n');
  if (std::ranges::count(folded, ';') != lines * 7) __builtin_trap();
  (void)report::write_dot(named);
  (void)report::write_text(named, {});
  return 0;
}
