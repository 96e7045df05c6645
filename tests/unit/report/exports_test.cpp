// Files for other tools: each is what its format says, whatever is in the names.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "report/report.h"
#include "tests/support/hostile_report.h"
#include "tests/support/report_builder.h"
#include "tests/unit/report/cases.h"

namespace hangstack::tests {
namespace {

using testing::HasSubstr;
using testing::Not;

std::vector<std::string> hostile_texts() {
  return {"</script>",     "a;b;c 7",     "name 12",   "12",       "tab\tline\n7", "quote\" \\",
          "back\\",        "\\N\\G\\l",   "&lt;&amp;", "<b>&</b>", "\x1b[31m\xff", "\u202E\u2028",
          "]; n9 [label=", "/* */ // #x", "x 3.5",     ""};
}

struct FoldedLine {
  std::vector<std::string> frames;
  int count = 0;
};

/// As flamegraph.pl reads them: all up to the last space, then the count.
std::vector<FoldedLine> read_folded(const std::string& text) {
  std::vector<FoldedLine> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    const std::size_t space = line.rfind(' ');
    FoldedLine read;
    read.count = std::stoi(line.substr(space + 1));
    std::istringstream frames(line.substr(0, space));
    for (std::string frame; std::getline(frames, frame, ';');) read.frames.push_back(frame);
    lines.push_back(std::move(read));
  }
  return lines;
}

TEST(Folded, OneLineForEachStackOfARank) {
  const auto lines = read_folded(report::write_folded(hung_gloo_straggler(), {}));
  ASSERT_EQ(lines.size(), 7U) << "three ranks with two threads that are no idle helpers, one with one";
  EXPECT_EQ(lines[0].frames[0], "rank 0");
  EXPECT_EQ(lines[0].frames[1], "main");
  EXPECT_EQ(lines[0].frames[2], "<module> (job/train.py:210)_[p]");
  EXPECT_EQ(lines[0].frames.back(), "pthread_cond_wait");
  EXPECT_EQ(lines[0].count, 1);
  EXPECT_EQ(lines[1].frames[1], "gloo run loop");
}

TEST(Folded, HelpersAndMachineryOnlyIfAsked) {
  const std::string plain = report::write_folded(hung_gloo_straggler(), {});
  EXPECT_THAT(plain, Not(HasSubstr("BLAS worker")));
  EXPECT_THAT(plain, Not(HasSubstr("_PyEval_EvalFrameDefault")));
  EXPECT_THAT(report::write_folded(hung_gloo_straggler(), {true, false}), HasSubstr("rank 0;BLAS worker;"));
  EXPECT_THAT(report::write_folded(hung_gloo_straggler(), {false, true}), HasSubstr("_PyEval_EvalFrameDefault"));
}

TEST(Folded, EqualThreadsOfAProcessAreCounted) {
  model::Report report = hung_gloo_straggler();
  auto& threads = report.processes[0].samples.back().threads;
  threads.push_back(threads[1]);
  EXPECT_THAT(report::write_folded(report, {}), HasSubstr("pthread_cond_clockwait 2\n"));
}

TEST(Folded, RanksOfSeveralJobsStayApart) {
  const std::string text = report::write_folded(several_jobs(), {});
  EXPECT_THAT(text, HasSubstr("rank 0 (gpu07:29500);"));
  EXPECT_THAT(text, HasSubstr("rank 0 (gpu07:29600);"));
}

TEST(Folded, HostileNamesNeitherPartFramesNorAddCounts) {
  const auto expected = read_folded(report::write_folded(report_named("harmless"), {true, true}));
  for (const std::string& name : hostile_texts()) {
    if (name.empty()) continue;
    const std::string text = report::write_folded(report_named(name), {true, true});
    const auto lines = read_folded(text);
    ASSERT_EQ(lines.size(), expected.size()) << name;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      EXPECT_EQ(lines[i].frames.size(), expected[i].frames.size()) << name;
      EXPECT_EQ(lines[i].count, expected[i].count) << name;
      EXPECT_THAT(lines[i].frames.back(), Not(testing::MatchesRegex(".* [0-9.]+"))) << "a second count: " << name;
    }
  }
}

/// What the schema asks for, and that every number points somewhere.
void expect_speedscope(const std::string& text) {
  const auto file = nlohmann::json::parse(text);
  EXPECT_EQ(file["$schema"], "https://www.speedscope.app/file-format-schema.json");
  const auto& frames = file["shared"]["frames"];
  for (const auto& frame : frames) {
    EXPECT_TRUE(frame["name"].is_string());
    EXPECT_TRUE(!frame.contains("file") || frame["file"].is_string());
    EXPECT_TRUE(!frame.contains("line") || frame["line"].is_number_integer());
  }
  for (const auto& profile : file["profiles"]) {
    EXPECT_EQ(profile["type"], "sampled");
    EXPECT_EQ(profile["unit"], "none");
    EXPECT_TRUE(profile["name"].is_string());
    ASSERT_EQ(profile["samples"].size(), profile["weights"].size());
    double weights = 0;
    for (const auto& weight : profile["weights"]) weights += weight.get<double>();
    EXPECT_EQ(profile["endValue"].get<double>() - profile["startValue"].get<double>(), weights);
    for (const auto& sample : profile["samples"]) {
      EXPECT_FALSE(sample.empty());
      for (const auto& frame : sample) EXPECT_LT(frame.get<std::size_t>(), frames.size());
    }
  }
  EXPECT_LE(file["activeProfileIndex"].get<std::size_t>(), file["profiles"].size());
}

class SpeedscopeOf : public testing::TestWithParam<Case> {};

TEST_P(SpeedscopeOf, IsAFileOfItsFormat) {
  expect_speedscope(report::write_speedscope(GetParam().report, {true, true}));
  expect_speedscope(report::write_speedscope(GetParam().report, {}));
}

INSTANTIATE_TEST_SUITE_P(Cases, SpeedscopeOf, testing::ValuesIn(all_cases()),
                         [](const auto& info) { return info.param.name; });

TEST(Speedscope, AProfileForEachRankWithItsThreads) {
  const auto file = nlohmann::json::parse(report::write_speedscope(hung_gloo_straggler(), {}));
  ASSERT_EQ(file["profiles"].size(), 4U);
  const auto& frames = file["shared"]["frames"];
  const auto& first = file["profiles"][0];
  EXPECT_EQ(first["name"], "rank 0");
  ASSERT_EQ(first["samples"].size(), 2U);
  const auto frame = [&](std::size_t at) { return frames[first["samples"][0][at].get<std::size_t>()]; };
  EXPECT_EQ(frame(0)["name"], "[main]");
  EXPECT_EQ(frame(1)["name"], "<module> (job/train.py:210)");
  EXPECT_EQ(frame(1)["file"], "/home/u/job/train.py");
  EXPECT_EQ(frame(1)["line"], 210);
  EXPECT_EQ(first["samples"][0], file["profiles"][1]["samples"][0]) << "equal frames are shared";
}

TEST(Speedscope, HostileNamesComeBackAsTheyAreShown) {
  for (const std::string& name : hostile_texts()) expect_speedscope(report::write_speedscope(report_named(name), {}));
}

/// The text inside quotation marks as Graphviz's lexer takes it; false if the file is not made of such texts, names,
/// brackets and signs of ours alone.
bool is_dot(const std::string& text) {
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '\\') {
      ++i;
      if (i >= text.size() || std::string_view("\\\"l").find(text[i]) == std::string_view::npos) return false;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (quoted && c == '\n') {
      return false;
    }
  }
  return !quoted;
}

TEST(Dot, BranchesHaveTheirRanksAtTheEdges) {
  const std::string text = report::write_dot(hung_gloo_straggler());
  EXPECT_THAT(text, HasSubstr("digraph hangstack {"));
  EXPECT_THAT(text, HasSubstr("n1 -> n2 [label=\"1:[3]\"]"));
  EXPECT_THAT(text, HasSubstr("n1 -> n3 [label=\"3:[0-2]\"]"));
  EXPECT_THAT(text, HasSubstr("load_shard job/train.py:93\\l"));
  EXPECT_THAT(text, HasSubstr("color=\"#b3261e\""));
  EXPECT_TRUE(is_dot(text));
}

TEST(Dot, HostileNamesEndNoLabel) {
  const auto lines = [](const std::string& text) { return std::ranges::count(text, '\n'); };
  const auto expected = lines(report::write_dot(report_named("harmless")));
  for (const std::string& name : hostile_texts()) {
    const std::string text = report::write_dot(report_named(name));
    EXPECT_TRUE(is_dot(text)) << name;
    EXPECT_EQ(lines(text), expected) << name;
  }
  EXPECT_THAT(report::write_dot(report_named("q\"b\\a&")), HasSubstr("q\\\"b\\\\a&amp;"));
}

}  // namespace
}  // namespace hangstack::tests
