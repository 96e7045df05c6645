// What holds for every HTML report: whatever is in it, it is one page that shows all and runs nothing of the target.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ctime>
#include <iostream>
#include <string>

#include "report/html/embedded.h"
#include "report/html/html_writer.h"
#include "report/report.h"
#include "tests/support/hostile_report.h"
#include "tests/support/html_check.h"
#include "tests/support/report_builder.h"
#include "tests/unit/report/cases.h"

namespace hangstack::tests {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string fault_of(const std::string& page) {
  return fault_of_html(page, report::html_style().text, report::html_script().text).value_or("");
}

std::size_t count(const std::string& text, std::string_view what) {
  std::size_t n = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
  return n;
}

class HtmlOf : public testing::TestWithParam<Case> {};

TEST_P(HtmlOf, IsOneWellFormedPage) { EXPECT_EQ(fault_of(report::write_html(GetParam().report)), ""); }

INSTANTIATE_TEST_SUITE_P(Cases, HtmlOf, testing::ValuesIn(all_cases()),
                         [](const auto& info) { return info.param.name; });

TEST(HtmlCheck, FindsWhatEscapesWouldHaveKeptOut) {
  const std::string page = report::write_html(several_jobs());
  ASSERT_EQ(fault_of(page), "");
  for (const auto& [good, bad] :
       std::vector<std::pair<std::string, std::string>>{{"load_shard", "<script>alert(1)</script>"},
                                                        {"load_shard", "<img src=x>"},
                                                        {"load_shard", "</p>"},
                                                        {"load_shard", "a & b"},
                                                        {"<section", "<section onclick=\"alert(1)\""},
                                                        {"<section", "<section style=\"x\""},
                                                        {"href=\"#", "href=\"http://example.org/"},
                                                        {"</footer>", ""},
                                                        {"\"use strict\"", "\"no\""}}) {
    std::string spoilt = page;
    const std::size_t at = spoilt.find(good);
    ASSERT_NE(at, std::string::npos) << good;
    spoilt.replace(at, good.size(), bad);
    EXPECT_NE(fault_of(spoilt), "") << bad;
  }
}

TEST(Html, HostileNamesStayText) {
  for (const std::string name :
       {"</script><script>alert(1)</script>", "</title><script>alert(1)</script>", "\" onmouseover=\"alert(1)",
        "' autofocus onfocus='alert(1)", "<!--", "--><img src=x onerror=alert(1)>", "</style><style>*{}", "&lt;&#60;&",
        "\x1b[2J\x07\u202E\u2028\xff\xc3(", "]]>", "javascript:alert(1)", "{{7*7}}${7*7}", "a\0b"}) {
    const std::string page = report::write_html(report_named(name));
    EXPECT_EQ(fault_of(page), "") << name;
    EXPECT_EQ(count(page, "<script"), 1U) << name;
    EXPECT_EQ(count(page, "<img"), 0U) << name;
  }
  EXPECT_THAT(report::write_html(report_named("</script>")), HasSubstr("&lt;/script&gt;"));
}

TEST(Html, EscapesAreThoseOfTextAndAttributes) {
  EXPECT_EQ(report::html_escaped("a<b>&\"c'"), "a&lt;b&gt;&amp;&quot;c&#39;");
  EXPECT_EQ(report::html_escaped("\x1b\n\u202E\xff"), "\\x1b\\n\\u{202e}\uFFFD");
}

TEST(Html, ThePolicyAllowsNothingButItsOwnStyleAndScript) {
  const std::string page = report::write_html(not_hung());
  const std::string policy = page.substr(page.find("Content-Security-Policy"), 400);
  EXPECT_THAT(policy,
              HasSubstr("default-src &#39;none&#39;; style-src &#39;" + std::string(report::html_style().hash)));
  EXPECT_THAT(policy, HasSubstr("script-src &#39;" + std::string(report::html_script().hash)));
  EXPECT_THAT(page.substr(0, page.find("<style>")), Not(HasSubstr("unsafe")));
  for (const char* fetched : {"src=", "<link", "@import", "url(", "<iframe", "fetch(", "XMLHttpRequest"})
    EXPECT_THAT(page, Not(HasSubstr(fetched)));
}

TEST(Html, TheVerdictIsTheFirstSection) {
  const std::string page = report::write_html(hung_gloo_straggler());
  const std::size_t verdict = page.find("<h1>HUNG: host_straggler (asleep before the collective), caused by rank 3");
  ASSERT_NE(verdict, std::string::npos);
  std::size_t last = verdict;
  for (const char* part :
       {"<span class=\"confidence\">likely</span>", "Ranks 0-2 wait in all_reduce", "kernel counters",
        "time.sleep ends by itself", "<code>hangstack --samples 3 --gap 30</code>", "<b>asymmetric_control_flow</b>",
        "<h2>Ranks, by what they wait in", "<h2>Blocked threads", "<h2>Records", "<h2>Stacks"}) {
    const std::size_t at = page.find(part, last);
    EXPECT_NE(at, std::string::npos) << part;
    last = at == std::string::npos ? last : at;
  }
}

TEST(Html, EveryFrameOfEveryThreadIsThere) {
  const std::string page = report::write_html(hung_gloo_straggler());
  for (const auto& history : hung_gloo_straggler().processes)
    for (const auto& thread : history.last().threads)
      for (const auto& frame : thread.frames) EXPECT_THAT(page, HasSubstr(report::html_escaped(frame.function)));
}

TEST(Html, CommandLinesKeepOptionsToThemselves) {
  EXPECT_THAT(report::write_html(hung_gloo_straggler()), HasSubstr("python3 train.py … (3 more)"));
  EXPECT_THAT(report::write_html(hung_gloo_straggler()), Not(HasSubstr("api-key")));
}

TEST(Html, SeveralJobsAreOneSectionEach) {
  const std::string page = report::write_html(several_jobs());
  EXPECT_EQ(count(page, "<article"), 2U);
  EXPECT_EQ(count(page, "<h1>"), 2U);
  EXPECT_THAT(page, HasSubstr("href=\"#job-2\""));
  const std::size_t second = page.find("id=\"job-2\"");
  EXPECT_GT(page.find("at::native::addmm"), second) << "the stacks of a job stand in its section";
  EXPECT_LT(page.rfind("load_shard"), second);
}

TEST(Html, RecordsOfRanksThatSayTheSameAreOneRow) {
  model::Report report = hung_gloo_straggler();
  model::RecordedOperation operation;
  operation.group = "7";
  operation.group_description = "dp";
  operation.backend = "nccl";
  operation.name = "all_reduce";
  operation.sequence = 1042;
  operation.inputs = {{{16, 1024}, "BFloat16"}};
  for (std::size_t i = 0; i < 3; ++i) {
    model::FlightRecorder recorder;
    recorder.status = model::RecordStatus::ok;
    recorder.operations = {operation};
    report.processes[i].samples.back().flight_recorders = {recorder};
  }
  const std::string page = report::write_html(report);
  EXPECT_THAT(page, HasSubstr("<td><span class=\"ranks\">0-2</span></td><td>nccl dp</td><td>#1042</td>"
                              "<td>all_reduce</td><td>[16,1024] BFloat16</td><td>scheduled</td>"));
  EXPECT_EQ(count(page, "#1042"), 1U);
  EXPECT_THAT(page, HasSubstr("absent: no rank has loaded NCCL"));
}

TEST(Html, AThousandRanksAreAPageOfAFewHundredKilobytes) {
  for (const int ranks : {1000, 2000}) {
    const model::Report report = many_ranks(ranks, ranks / 8);
    const std::clock_t start = std::clock();
    const std::string page = report::write_html(report);
    const double took_ms = 1e3 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    std::cout << "[ figures  ] " << ranks << " ranks as HTML: " << page.size() / 1024 << " KiB, " << took_ms << " ms\n";
    EXPECT_LT(page.size(), static_cast<std::size_t>(ranks) * 400 + 65536);
    EXPECT_EQ(count(page, "<details class=\"stack"), 4U);
  }
}

TEST(Html, StacksThatAllDifferAreBounded) {
  model::Report report = many_ranks(200, 25);
  std::uint64_t offset = 0;
  for (auto& history : report.processes)
    for (auto& thread : history.samples.back().threads) {
      thread.frames.resize(200, native("deep", "lib.so"));
      for (auto& frame : thread.frames) frame.offset = ++offset;
    }
  const std::string page = report::write_html(report);
  EXPECT_LT(page.size(), 16U << 20);
  EXPECT_THAT(page, testing::ContainsRegex("more stacks: -o report.json has all"));
}

TEST(Html, ScatteredRanksAreWrittenOnce) {
  model::Report report = many_ranks(1000, 125);
  model::RankSet even;
  for (int i = 0; i < 1000; i += 2) even.insert(i);
  report.jobs[0].groups[0].ranks = even;
  report.jobs[0].verdict.observations[0].ranks = even;
  report.jobs[0].tree[0].children[0].present = even;
  const std::string page = report::write_html(report);
  EXPECT_EQ(count(page, even.folded()), 1U);
  EXPECT_EQ(fault_of(page), "");
}

}  // namespace
}  // namespace hangstack::tests
