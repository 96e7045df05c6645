// What holds for every text report, and what single sections promise.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ctime>
#include <iostream>
#include <string>
#include <vector>

#include "model/utf8.h"
#include "report/printable.h"
#include "report/report.h"
#include "tests/support/report_builder.h"
#include "tests/unit/report/cases.h"

namespace hangstack::tests {
namespace {

using report::TextOptions;
using testing::HasSubstr;
using testing::Not;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines(1);
  for (const char c : text) {
    if (c == '\n') {
      lines.emplace_back();
    } else {
      lines.back() += c;
    }
  }
  return lines;
}

class TextOf : public testing::TestWithParam<Case> {};

TEST_P(TextOf, FitsThePageWithEveryOption) {
  for (const int width : {80, 100, 132}) {
    for (int bits = 0; bits < 8; ++bits) {
      const TextOptions options{false, (bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0, width};
      for (const auto& line : lines_of(report::write_text(GetParam().report, options))) {
        EXPECT_LE(report::columns(line), width) << line;
      }
    }
  }
}

TEST_P(TextOf, HoldsNothingThatSteersATerminal) {
  const TextOptions options{false, true, true, true, 100};
  const std::string text = report::write_text(GetParam().report, options);
  for (std::size_t at = 0; at < text.size();) {
    const auto point = model::decode_at(text, at);
    EXPECT_TRUE(point.valid) << "byte " << at;
    EXPECT_TRUE(point.value == '\n' || !report::is_unsafe(point.value)) << "byte " << at;
    at += point.length;
  }
}

TEST_P(TextOf, HasNoSpacesAtLineEndsAndEndsInOneNewline) {
  const std::string text = report::write_text(GetParam().report, GetParam().options);
  EXPECT_THAT(text, Not(HasSubstr(" \n")));
  EXPECT_TRUE(text.ends_with("\n"));
  EXPECT_FALSE(text.ends_with("\n\n"));
}

TEST_P(TextOf, WithColorSaysTheSame) {
  TextOptions options = GetParam().options;
  const std::string plain = report::write_text(GetParam().report, options);
  options.color = true;
  std::string bare;
  const std::string colored = report::write_text(GetParam().report, options);
  for (std::size_t at = 0; at < colored.size(); ++at) {
    if (colored[at] == '\x1b') {
      at = colored.find('m', at);
    } else {
      bare += colored[at];
    }
  }
  EXPECT_EQ(bare, plain);
  EXPECT_NE(colored, plain);
}

INSTANTIATE_TEST_SUITE_P(Cases, TextOf, testing::ValuesIn(all_cases()),
                         [](const auto& info) { return info.param.name; });

TEST(Text, VerdictStandsInTheFirstTwelveLinesOfTenThousandRanks) {
  const model::Report report = many_ranks(10000, 1250);
  const std::clock_t start = std::clock();
  const std::string text = report::write_text(report, {});
  const double took_ms = 1e3 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  const auto lines = lines_of(text);
  EXPECT_LT(lines.size(), 40U);
  std::string head;
  for (std::size_t i = 0; i < 12; ++i) head += lines[i] + '\n';
  EXPECT_THAT(head, HasSubstr("HUNG: host_straggler, caused by rank 5000"));
  EXPECT_THAT(head, HasSubstr("more certainty:"));
  std::cout << "[ figures  ] 10,000 ranks as text: " << took_ms << " ms of processor\n";
}

TEST(Text, ScatteredRanksDoNotScrollTheVerdictAway) {
  model::Report report = many_ranks(4000, 500);
  model::RankSet even;
  model::RankSet odd;
  for (int i = 0; i < 4000; ++i) (i % 2 == 0 ? even : odd).insert(i);
  report.jobs[0].groups[0].ranks = even;
  report.jobs[0].groups[1].ranks = odd;
  report.jobs[0].verdict.culprit_ranks = even;
  report.jobs[0].tree[0].children[0].present = even;
  report.jobs[0].tree[0].children[0].absent = odd;
  const auto lines = lines_of(report::write_text(report, {}));
  EXPECT_LT(lines.size(), 40U);
  for (const auto& line : lines) EXPECT_LE(report::columns(line), 100) << line;
}

TEST(Text, HeaderSaysWhatTheJobPaid) {
  model::Report report = not_hung();
  EXPECT_THAT(report::write_text(report, {}), HasSubstr("stopped 2 threads for 61 us in all"));
  report.sampling.threads_stopped = 0;
  report.sampling.stopped_us_total = 0;
  EXPECT_THAT(report::write_text(report, {}), HasSubstr("   not stopped\n"));
  report.sampling = {2, 2.0, "all", 1200, 14, {}, {}};
  EXPECT_THAT(report::write_text(report, {}), HasSubstr("stopped 1.2 ms"));
  EXPECT_THAT(report::write_text(report, {}), Not(HasSubstr("not stopped")));
  report.sampling = {2, 2.0, "auto", 5300, 14, {}, {}};
  EXPECT_THAT(report::write_text(report, {}), HasSubstr("stopped 14 threads for 5.3 ms in all"));
}

TEST(Text, HeaderNamesEveryGradeBeyondReading) {
  model::Report report = not_hung();
  report.sampling.asked = {"NCCL RAS"};
  report.sampling.disturbed = {"flight recorder dump"};
  EXPECT_THAT(report::write_text(report, {}), HasSubstr("asked: NCCL RAS   DISTURBED: flight recorder dump"));
}

TEST(Text, OneProcessWithoutARankIsNeverCalledRankZero) {
  model::Report report = single_native_process();
  auto& job = report.jobs[0];
  job.verdict.culprit_ranks = {0};
  job.verdict.observations[0].ranks = {0};
  job.groups[0].ranks = {0};
  job.tree[0].present = {0};
  const std::string text = report::write_text(report, {});
  EXPECT_THAT(text, Not(HasSubstr("rank")));
  EXPECT_THAT(text, Not(HasSubstr("[0]")));
  EXPECT_THAT(text, HasSubstr("PROCESSES"));
}

TEST(Text, RanksWithoutAStackHaveTheirRow) {
  const auto rows_of = [](model::Report report) {
    for (auto& job : report.jobs) std::erase_if(job.groups, [](const auto& g) { return g.state == "dead"; });
    return report::write_text(report, {});
  };
  EXPECT_THAT(rows_of(dead_rank()), HasSubstr("  2     7002           dead        zombie"));
  EXPECT_THAT(rows_of(failed_pids()), HasSubstr("0-11  3100-11         not read         no permission"));
}

TEST(Text, DecisionsOnlyIfAsked) {
  const std::string rule = "process_stopped: no.";
  EXPECT_THAT(report::write_text(hung_gloo_straggler(), {}), Not(HasSubstr(rule)));
  EXPECT_THAT(report::write_text(hung_gloo_straggler(), {false, false, false, true, 100}), HasSubstr(rule));
}

TEST(Text, CommandLinesKeepOptionsToThemselves) {
  const std::string text = report::write_text(hung_gloo_straggler(), {false, true, true, true, 100});
  EXPECT_THAT(text, HasSubstr("python3 train.py … (3 more)"));
  EXPECT_THAT(text, Not(HasSubstr("hidden")));
  EXPECT_THAT(report::write_json(hung_gloo_straggler()), Not(HasSubstr("hidden")));
}

TEST(Text, InterpreterFramesStandInFullStacksOnly) {
  EXPECT_THAT(report::write_text(hung_gloo_straggler(), {}), Not(HasSubstr("_PyEval_EvalFrameDefault")));
  EXPECT_THAT(report::write_text(hung_gloo_straggler(), {false, false, true, false, 100}),
              HasSubstr("_PyEval_EvalFrameDefault"));
}

TEST(Text, GuessedFramesAreMarkedInFullStacks) {
  model::Report report = single_native_process();
  auto& frames = report.processes[0].samples.back().threads[0].frames;
  frames[1].trust = model::FrameTrust::guess;
  const std::string text = report::write_text(report, {false, false, true, false, 100});
  EXPECT_THAT(text, HasSubstr("server+0x1000  [guess]"));
}

TEST(Text, FullStacksSayWhyTheyEnd) {
  EXPECT_THAT(report::write_text(undecided(), {false, false, true, false, 100}),
              HasSubstr("ends here: no call frame information covers 0x7f12"));
}

TEST(Text, EqualStacksAreOneEntryUnlessAllThreadsInFullAreAskedFor) {
  const auto count = [](const std::string& text, std::string_view what) {
    std::size_t n = 0;
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
    return n;
  };
  const std::string name = "\"pt_gloo_runloop\"";
  EXPECT_EQ(count(report::write_text(hung_gloo_straggler(), {}), name), 0U);
  EXPECT_EQ(count(report::write_text(hung_gloo_straggler(), {false, false, true, false, 100}), name), 1U);
  EXPECT_EQ(count(report::write_text(hung_gloo_straggler(), {false, true, true, false, 100}), name), 3U);
}

TEST(Text, FailuresThatDifferInNumbersAreOneEntry) {
  const std::string text = report::write_text(failed_pids(), {});
  EXPECT_THAT(text, HasSubstr("pids 3100-11"));
  EXPECT_THAT(text, HasSubstr("(and 11 more)"));
  EXPECT_THAT(text, HasSubstr("fix: It is in state D"));
}

TEST(Text, AFailureToldTwiceIsShownOnce) {
  model::Report report = failed_pids();
  report.errors.push_back({"pid", "3200", *report.jobs[0].ranks.back().error});
  EXPECT_EQ(report::write_text(report, {}), report::write_text(
                                                [&] {
                                                  auto once = failed_pids();
                                                  once.errors = report.errors;
                                                  return once;
                                                }(),
                                                {}));
  const std::string text = report::write_text(report, {});
  const auto first = text.find("pid 3200 did not");
  ASSERT_NE(first, std::string::npos);
  EXPECT_EQ(text.find("pid 3200 did not", first + 1), std::string::npos);
}

TEST(Text, AnEmptyReportIsStillAReport) {
  const std::string text = report::write_text(model::Report{}, {true, true, true, true, 0});
  EXPECT_THAT(text, HasSubstr("No thread was read."));
}

}  // namespace
}  // namespace hangstack::tests
