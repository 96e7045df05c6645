// The pages of the patterns: that each name has one, that each is whole, and that their examples are judged as they
// say.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "classifiers/patterns/pages.h"
#include "classifiers/patterns/pattern.h"
#include "tests/support/pattern_examples.h"
#include "tests/unit/classifiers/judged_job.h"

namespace hangstack::classifiers {
namespace {

using tests::PatternExample;

// Every name that a report can have as its pattern: other programs rely on them.
constexpr const char* kNames[] = {"abort_deadlock",
                                  "asymmetric_control_flow",
                                  "barrier_deadlock",
                                  "checkpoint_stall",
                                  "collective_mismatch",
                                  "compile_straggler",
                                  "concurrent_group_use",
                                  "cross_group_order",
                                  "cuda_graph",
                                  "cuda_load_deadlock",
                                  "dataloader_stall",
                                  "device_comm_stall",
                                  "driver_stall",
                                  "external_service_stall",
                                  "fork_lock",
                                  "forward_order_violation",
                                  "gil_deadlock",
                                  "gpu_kernel_stall",
                                  "host_queue_deadlock",
                                  "host_straggler",
                                  "implicit_sync",
                                  "init_bootstrap",
                                  "init_timeout",
                                  "launch_blocking",
                                  "lock_cycle",
                                  "nccl_resource_wait",
                                  "nccl_timeout",
                                  "network_fault",
                                  "not_hung",
                                  "p2p_hang_after_abort",
                                  "p2p_unmatched",
                                  "process_stopped",
                                  "profiler_attached",
                                  "rank_died",
                                  "stale_build_lock",
                                  "storage_stall",
                                  "unknown",
                                  "unused_parameter"};

// Names that rules of other names give to what they find: by where a straggler stands, or what its peers wait for.
constexpr const char* kByPlace[] = {"checkpoint_stall",     "compile_straggler",      "cuda_load_deadlock",
                                    "dataloader_stall",     "external_service_stall", "fork_lock",
                                    "p2p_hang_after_abort", "stale_build_lock"};

// In this order.
constexpr const char* kSections[] = {"What it is",
                                     "Symptom",
                                     "Cause",
                                     "Look-alikes",
                                     "Code path",
                                     "Fix",
                                     "The tempting wrong fix",
                                     "Verification",
                                     "What hangstack looks at",
                                     "Reference"};

const std::filesystem::path kFolder = std::filesystem::path(HANGSTACK_SOURCE_DIR) / "classifiers/patterns";

std::string source_of(std::string_view name) {
  std::ifstream file(kFolder / (std::string(name) + ".md"));
  return {std::istreambuf_iterator<char>(file), {}};
}

bool is_judged(std::string_view name) {
  return std::ranges::any_of(rules(), [&](const Rule& rule) { return rule.pattern == name; }) ||
         std::ranges::find(kByPlace, name) != std::end(kByPlace);
}

std::vector<std::string> sections_of(const std::string& text) {
  std::vector<std::string> found;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("## ")) found.push_back(line.substr(3));
  return found;
}

/// Words that look like the name of a pattern: two or more of small letters, joined by underscores.
std::set<std::string> names_in_look_alikes(const std::string& text) {
  const auto begin = text.find("\n## Look-alikes\n");
  std::set<std::string> found;
  std::istringstream lines(text.substr(begin, text.find("\n## ", begin + 1) - begin));
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("- ") || line.find(": ") == std::string::npos) continue;
    std::istringstream words(line.substr(2, line.find(": ") - 2));
    for (std::string word; std::getline(words, word, ',');) {
      word.erase(0, word.find_first_not_of(' '));
      const bool name = word.find('_') != std::string::npos &&
                        word.find_first_not_of("abcdefghijklmnopqrstuvwxyz_0123456789") == std::string::npos;
      if (name) found.insert(word);
    }
  }
  return found;
}

TEST(PatternPages, EveryNameHasAPageAndNoOther) {
  std::vector<std::string> pages;
  for (const auto& page : pattern_pages()) pages.emplace_back(page.name);
  EXPECT_THAT(pages, testing::ElementsAreArray(kNames));
  for (const Rule& rule : rules()) EXPECT_NE(page_of(rule.pattern), nullptr) << rule.pattern;
}

TEST(PatternPages, EachHasAllSectionsInOrder) {
  for (const auto& page : pattern_pages()) {
    EXPECT_THAT(sections_of(std::string(page.text)), testing::ElementsAreArray(kSections)) << page.name;
    EXPECT_GE(page.verification.size(), 1U) << page.name;
    EXPECT_FALSE(page.reference.empty()) << page.name;
    EXPECT_LE(page.title.size(), 75U) << page.name;
  }
}

TEST(PatternPages, OneOfARuleRefersToWhatDocumentsTheRule) {
  std::ifstream file(kFolder.parent_path().parent_path() / "docs/verdicts.md");
  const std::string verdicts{std::istreambuf_iterator<char>(file), {}};
  for (const std::string_view name : kNames) {
    if (!is_judged(name)) continue;
    EXPECT_EQ(page_of(name)->reference, fmt::format("docs/verdicts.md#{}", name));
    EXPECT_THAT(verdicts, testing::HasSubstr(fmt::format("\n## {}\n", name)));
  }
}

TEST(PatternPages, LookAlikesHavePages) {
  for (const auto& page : pattern_pages())
    for (const auto& name : names_in_look_alikes(std::string(page.text)))
      EXPECT_NE(page_of(name), nullptr) << page.name << " names " << name;
}

TEST(PatternPages, OnlyThoseWithoutARuleSayThatTheyHaveNone) {
  for (const auto& page : pattern_pages()) {
    const bool says = page.text.find("\nNo rule ") != std::string_view::npos;
    EXPECT_NE(says, is_judged(page.name)) << page.name;
  }
}

TEST(PatternPages, ARuleHasAnExampleThatFiresAndOneThatMustNot) {
  for (const std::string_view name : kNames) {
    if (!is_judged(name)) continue;
    const auto examples = tests::examples_in(source_of(name));
    const auto shows = [&](const PatternExample& each) { return each.verdict == name; };
    EXPECT_TRUE(std::ranges::any_of(examples, shows)) << name << ": no example with this verdict";
    EXPECT_FALSE(std::ranges::all_of(examples, shows)) << name << ": no look-alike";
  }
}

TEST(PatternPages, ExamplesAreJudgedAsTheySay) {
  for (const char* name : kNames) {
    for (PatternExample& example : tests::examples_in(source_of(name))) {
      SCOPED_TRACE(fmt::format("{}.md:{}", name, example.line));
      const model::Job judged = only_job(example.job);
      const std::string culprits = judged.verdict.culprit_ranks.folded();
      const std::string confidence(model::confidence_name(judged.verdict.confidence));
      const std::string hung(model::hung_name(judged.verdict.hung));
      EXPECT_EQ(judged.verdict.pattern, example.verdict);
      EXPECT_EQ(culprits, example.culprits.value_or(culprits));
      EXPECT_EQ(confidence, example.confidence.value_or(confidence));
      EXPECT_EQ(hung, example.hung.value_or(hung));
    }
  }
}

TEST(PatternPages, AVerdictBringsWhatItsPageAsksFor) {
  tests::JobBuilder job;
  job.still(tests::in_all_reduce(0, 2)).still(tests::in_user_code(1, 2, "asleep=12.5 syscall=clock_nanosleep", kSleep));
  const model::Verdict verdict = only_job(job).verdict;
  EXPECT_EQ(verdict.reference, "docs/verdicts.md#host_straggler");
  EXPECT_THAT(verdict.documented_verification, testing::Contains("it reaches the call, and all ranks move"));
}

}  // namespace
}  // namespace hangstack::classifiers
