// Every case byte by byte against tests/golden/. HANGSTACK_BLESS=1 writes the files instead of comparing.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "report/html/embedded.h"
#include "report/report.h"
#include "tests/unit/report/cases.h"

namespace hangstack::tests {
namespace {

std::filesystem::path golden(const std::string& file) {
  return std::filesystem::path(HANGSTACK_SOURCE_DIR) / "tests/golden" / file;
}

bool blessing() {
  const char* value = std::getenv("HANGSTACK_BLESS");
  return value != nullptr && std::string_view(value) == "1";
}

std::string line_at(const std::string& text, std::size_t at) {
  if (at >= text.size()) return "(end of file)";
  const std::size_t start = at == 0 ? std::string::npos : text.rfind('\n', at - 1);
  const std::size_t first = start == std::string::npos ? 0 : start + 1;
  return text.substr(first, text.find('\n', at) - first);
}

void expect_golden(const std::string& file, const std::string& made) {
  if (blessing()) {
    std::filesystem::create_directories(golden(file).parent_path());
    std::ofstream(golden(file), std::ios::binary) << made;
    return;
  }
  std::ifstream in(golden(file), std::ios::binary);
  ASSERT_TRUE(in) << file << " is missing: HANGSTACK_BLESS=1 writes it";
  const std::string kept{std::istreambuf_iterator<char>(in), {}};
  if (made == kept) return;
  // A whole report, twice and escaped, hides the difference: show the first line that is not the same.
  const auto at =
      static_cast<std::size_t>(std::mismatch(made.begin(), made.end(), kept.begin(), kept.end()).first - made.begin());
  FAIL() << file << " differs in line " << 1 + std::count(made.begin(), made.begin() + static_cast<long>(at), '\n')
         << "\n  made: " << line_at(made, at) << "\n  kept: " << line_at(kept, at)
         << "\nIf the change is meant: HANGSTACK_BLESS=1, and read the diff";
}

std::vector<Case> cases_with_json() {
  auto cases = all_cases();
  std::erase_if(cases, [](const Case& c) { return !c.json; });
  return cases;
}

/// The style, the script and their hashes change more often than what the page says.
std::string without_embedded(std::string page) {
  for (const auto& [text, hash] : {report::html_style(), report::html_script()}) {
    for (const std::string_view part : {text, hash}) {
      const std::size_t at = page.find(part);
      if (at != std::string::npos) page.replace(at, part.size(), "...");
    }
  }
  return page;
}

std::vector<Case> cases_as_files() {
  auto cases = all_cases();
  const std::vector<std::string> kept{"hung_gloo_straggler", "dead_rank",     "single_native_process",
                                      "several_jobs",        "hostile_names", "nothing_sampled"};
  std::erase_if(cases, [&](const Case& c) { return std::ranges::find(kept, c.name) == kept.end(); });
  return cases;
}

class GoldenFiles : public testing::TestWithParam<Case> {};

TEST_P(GoldenFiles, AreAsKept) {
  const auto& [name, report, json, options] = GetParam();
  expect_golden(name + ".html", without_embedded(report::write_html(report)));
  expect_golden(name + ".folded", report::write_folded(report, {}));
  expect_golden(name + ".speedscope.json", report::write_speedscope(report, {}));
  expect_golden(name + ".dot", report::write_dot(report));
}

class GoldenText : public testing::TestWithParam<Case> {};
class GoldenJson : public testing::TestWithParam<Case> {};

TEST_P(GoldenText, IsAsKept) {
  expect_golden(GetParam().name + ".txt", report::write_text(GetParam().report, GetParam().options));
}

TEST_P(GoldenJson, IsAsKept) { expect_golden(GetParam().name + ".json", report::write_json(GetParam().report)); }

std::string name_of(const testing::TestParamInfo<Case>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(Cases, GoldenFiles, testing::ValuesIn(cases_as_files()), name_of);
INSTANTIATE_TEST_SUITE_P(Cases, GoldenText, testing::ValuesIn(all_cases()), name_of);
INSTANTIATE_TEST_SUITE_P(Cases, GoldenJson, testing::ValuesIn(cases_with_json()), name_of);

}  // namespace
}  // namespace hangstack::tests
