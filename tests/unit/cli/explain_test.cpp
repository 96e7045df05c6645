#include "cli/explain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "cli/reproducers.h"

namespace hangstack::cli {
namespace {

using model::ErrorCode;
using testing::HasSubstr;
using testing::Not;

TEST(Explain, AloneItListsTheTopics) { EXPECT_THAT(explain("", "").value(), HasSubstr("reproducer [PATTERN|SCRIPT]")); }

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

TEST(Explain, AnUnknownTopicNamesTheTopics) {
  EXPECT_THAT(explain("timeouts", "").error().fix, HasSubstr("topics: reproducer"));
  EXPECT_THAT(explain("host_straggler", "").error().fix, HasSubstr("hangstack explain reproducer host_straggler"));
}

}  // namespace
}  // namespace hangstack::cli
