#include "cli/explain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "classifiers/patterns/pages.h"
#include "cli/reproducers.h"

namespace hangstack::cli {
namespace {

using model::ErrorCode;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST(Explain, AloneItListsPatternsAndTopicsWithALineEach) {
  const std::string list = explain("", "").value();
  EXPECT_THAT(list,
              HasSubstr("\n  host_straggler           A rank has not come to the call that its peers wait in.\n"));
  EXPECT_THAT(list, HasSubstr("\n  timeouts                 Which timeout ends which wait"));
  EXPECT_THAT(list, HasSubstr("\n  reproducer [NAME]        "));
  std::istringstream lines(list);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100U) << line;
}

TEST(Explain, EveryPatternAndTopicHasAPageWithoutTheExamples) {
  for (const auto& page : classifiers::pattern_pages()) {
    const std::string text = explain(std::string(page.name), "").value();
    EXPECT_THAT(text, StartsWith("# " + std::string(page.name) + "\n"));
    EXPECT_THAT(text, Not(HasSubstr("```")));
    EXPECT_THAT(text, HasSubstr("\n## Verification\n"));
  }
  for (const auto* name : {"communicators", "timeouts", "debug-variables", "flight-recorder", "monitored-barrier",
                           "sequence-log", "wrong-shortcuts"})
    EXPECT_THAT(explain(name, "").value(), StartsWith("# " + std::string(name) + "\n"));
}

TEST(Explain, APatternWithAScriptSaysWhereItIs) {
  EXPECT_THAT(explain("host_straggler", "").value(), EndsWith("\nA script that hangs so: hangstack explain reproducer "
                                                              "host_straggler\n"));
  EXPECT_THAT(explain("network_fault", "").value(), Not(HasSubstr("explain reproducer")));
}

/// The names behind "hangstack explain" in a text.
std::set<std::string> explained_in(const std::string& text) {
  constexpr std::string_view kCommand = "hangstack explain ";
  std::set<std::string> names;
  for (auto at = text.find(kCommand); at != std::string::npos; at = text.find(kCommand, at + 1)) {
    const auto begin = at + kCommand.size();
    const auto end = text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_-", begin);
    if (end != begin) names.insert(text.substr(begin, end - begin));
  }
  return names;
}

TEST(Explain, WhateverThePagesAndDocumentsSendToIsThere) {
  const std::filesystem::path root = HANGSTACK_SOURCE_DIR;
  std::vector<std::filesystem::path> files = {root / "README.md"};
  for (const auto* folder : {"docs", "docs/topics", "classifiers/patterns"})
    for (const auto& entry : std::filesystem::directory_iterator(root / folder))
      if (entry.path().extension() == ".md") files.push_back(entry.path());
  for (const auto& path : files) {
    std::ifstream file(path);
    for (const auto& name : explained_in({std::istreambuf_iterator<char>(file), {}}))
      EXPECT_TRUE(explain(name, "")) << path << " sends to " << name;
  }
}

TEST(Explain, APageHasNoParts) {
  EXPECT_THAT(explain("timeouts", "nccl").error().message, HasSubstr("one name too many"));
}

TEST(Explain, EveryScriptIsListedAndIsPrintedByItsName) {
  const std::string list = explain("reproducer", "").value();
  ASSERT_FALSE(reproducers().empty());
  for (const Reproducer& each : reproducers()) {
    EXPECT_THAT(list, HasSubstr(std::string(each.name)));
    EXPECT_EQ(explain("reproducer", std::string(each.name)).value(), each.text);
  }
}

TEST(Explain, OfAPatternTheFirstScriptIsPrinted) {
  const std::string text = explain("reproducer", "host_straggler").value();
  EXPECT_THAT(text, HasSubstr("A reproducer of host_straggler: rank 1 sleeps where the others call all_reduce"));
}

TEST(Explain, AScriptStandsAloneAndSaysHowItIsStarted) {
  for (const Reproducer& each : reproducers()) {
    const std::string text(each.text);
    EXPECT_THAT(text, HasSubstr("torchrun --nproc-per-node " + std::to_string(each.ranks))) << each.name;
    EXPECT_THAT(text, HasSubstr("\n\nif __name__ == \"__main__\":\n    main()\n")) << each.name;
    EXPECT_THAT(text, Not(HasSubstr("HANGSTACK_LAB"))) << each.name;
    EXPECT_THAT(text, Not(HasSubstr("from scenario"))) << each.name;
  }
}

TEST(Explain, AnUnknownNameBringsTheNearest) {
  const auto wrong = explain("reproducer", "host_stragler");
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().code, ErrorCode::usage);
  EXPECT_THAT(wrong.error().message, HasSubstr("\"host_stragler\""));
  EXPECT_THAT(wrong.error().fix, HasSubstr("nearest: host_straggler"));
  EXPECT_THAT(explain("reproducer", "mismatch").error().fix, HasSubstr("collective_mismatch"));
  EXPECT_THAT(explain("reproducer", "q").error().fix, Not(HasSubstr("nearest")));
  EXPECT_THAT(explain("reproducer", std::string(1 << 20, 'a')).error().fix, Not(HasSubstr("nearest")));
}

TEST(Explain, APatternThatOnlyTheLabCanShowSaysSo) {
  EXPECT_THAT(explain("reproducer", "nccl_timeout").error().message, HasSubstr("only the lab can"));
}

TEST(Explain, AnUnknownPageBringsTheNearestOrTheScript) {
  EXPECT_EQ(explain("timeout", "").error().code, ErrorCode::usage);
  EXPECT_THAT(explain("colective_mismatch", "").error().fix, HasSubstr("nearest: collective_mismatch"));
  EXPECT_THAT(explain("flight_recorder", "").error().fix, HasSubstr("flight-recorder"));
  EXPECT_THAT(explain("q", "").error().fix, HasSubstr("what there is: hangstack explain"));
  EXPECT_THAT(explain("missing_collective", "").error().fix,
              HasSubstr("hangstack explain reproducer missing_collective"));
}

}  // namespace
}  // namespace hangstack::cli
