#include "report/text/layout.h"

#include <gtest/gtest.h>

#include "report/printable.h"
#include "report/words/cut.h"
#include "report/words/folding.h"

namespace hangstack::report {
namespace {

TEST(Layout, CutsKeepTheirSide) {
  EXPECT_EQ(cut_end("abcdef", 4), "abc…");
  EXPECT_EQ(cut_start("abcdef", 4), "…def");
  EXPECT_EQ(cut_middle("abcdefgh", 5), "ab…gh");
  EXPECT_EQ(cut_end("abc", 3), "abc");
  EXPECT_EQ(cut_end("訓練訓練", 5), "訓練…");
  EXPECT_EQ(cut_end("訓練訓練", 4), "訓…") << "a wide character is never cut in two";
  EXPECT_EQ(cut_end("abc", 0), "");
}

TEST(Layout, WrapBreaksAtSpacesAndLongWordsWhereItMust) {
  EXPECT_EQ(wrapped("one two three four", 13), (std::vector<std::string>{"one two three", "four"}));
  EXPECT_EQ(wrapped("aaaaaaaaaaaaaaaaaaaa b", 10), (std::vector<std::string>{"aaaaaaaaaa", "aaaaaaaaaa", "b"}));
  EXPECT_EQ(wrapped("", 10), (std::vector<std::string>{""}));
  EXPECT_EQ(wrapped("   ", 10), (std::vector<std::string>{""}));
}

TEST(Layout, CommandsCanBeCopied) {
  EXPECT_EQ(wrapped_command("hangstack --pids 1 2", 40), (std::vector<std::string>{"hangstack --pids 1 2"}));
  EXPECT_EQ(wrapped_command("grep -e 'a b c d e f' file", 16),
            (std::vector<std::string>{"grep -e \\", "'a b c d e f' \\", "file"}));
}

TEST(Folding, PidsShareTheirLeadingDigits) {
  EXPECT_EQ(folded_pids({41872, 41873, 41874, 41875, 41876, 41878}), "41872-6,41878");
  EXPECT_EQ(folded_pids({41898, 41899, 41900, 41901}), "41898-901");
  EXPECT_EQ(folded_pids({99, 100, 101}), "99-101");
  EXPECT_EQ(folded_pids({5}), "5");
  EXPECT_EQ(folded_pids({6, 5}), "5-6");
  EXPECT_EQ(folded_pids({}), "");
}

TEST(Folding, HostsFoldAsSlurmFoldsThem) {
  EXPECT_EQ(folded_hosts({"gpu01", "gpu02", "gpu03", "gpu16"}), "gpu[01-03,16]");
  EXPECT_EQ(folded_hosts({"gpu9", "gpu10"}), "gpu9,gpu10") << "names of another width are another family";
  EXPECT_EQ(folded_hosts({"login", "n1-ib", "n2-ib"}), "login,n[1-2]-ib");
  EXPECT_EQ(folded_hosts({"a1234567890123"}), "a1234567890123");
  EXPECT_EQ(folded_hosts({"h\x1b"}), "h\\x1b");
}

TEST(Folding, LongListsSayHowManyThereAre) {
  EXPECT_EQ(fitting_list("0,2,4,6,8,10,12,14", 8, 14), "0,2,4,6,… (8)");
  EXPECT_EQ(fitting_list("0-7", 8, 14), "0-7");
  EXPECT_LE(columns(fitting_list("训练,训练,训练,训练,训练", 5, 14)), 14);
  EXPECT_EQ(fitting_list("13", 1, -5), "13");
}

TEST(Folding, TimesAreSaidAsPeopleSayThem) {
  EXPECT_EQ(short_time(61), "61 us");
  EXPECT_EQ(short_time(1234), "1.2 ms");
  EXPECT_EQ(short_time(2.5e6), "2.5 s");
  EXPECT_EQ(utc_time(0), "1970-01-01 00:00:00 UTC");
  EXPECT_EQ(utc_time(INT64_MAX), "at an unknown time");
}

}  // namespace
}  // namespace hangstack::report
