// Every case byte by byte against tests/golden/. HANGSTACK_BLESS=1 writes the files instead of comparing.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

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

void expect_golden(const std::string& file, const std::string& made) {
  if (blessing()) {
    std::filesystem::create_directories(golden(file).parent_path());
    std::ofstream(golden(file), std::ios::binary) << made;
    return;
  }
  std::ifstream in(golden(file), std::ios::binary);
  ASSERT_TRUE(in) << file << " is missing: HANGSTACK_BLESS=1 writes it";
  const std::string kept{std::istreambuf_iterator<char>(in), {}};
  EXPECT_EQ(made, kept) << file;
}

class Golden : public testing::TestWithParam<Case> {};

TEST_P(Golden, TextIsAsKept) {
  expect_golden(GetParam().name + ".txt", report::write_text(GetParam().report, GetParam().options));
}

TEST_P(Golden, JsonIsAsKept) {
  if (!GetParam().json) GTEST_SKIP() << "kept as text only";
  expect_golden(GetParam().name + ".json", report::write_json(GetParam().report));
}

INSTANTIATE_TEST_SUITE_P(Cases, Golden, testing::ValuesIn(all_cases()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace hangstack::tests
