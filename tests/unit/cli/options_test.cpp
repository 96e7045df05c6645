#include "cli/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hangstack::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

tl::expected<Options, EarlyEnd> parse(std::vector<const char*> words) {
  words.insert(words.begin(), "hangstack");
  return parse_options(static_cast<int>(words.size()), words.data());
}

TEST(Options, PidsMayBeSeparatedBySpacesCommasAndLines) {
  const auto options = parse({"--pids", "12,13", "14", "15\n16", "13"});
  ASSERT_TRUE(options.has_value()) << options.error().err;
  EXPECT_THAT(options->pids, ElementsAre(12, 13, 14, 15, 16));
}

TEST(Options, DefaultsAreTheDocumentedOnes) {
  const auto options = parse({});
  ASSERT_TRUE(options.has_value());
  EXPECT_EQ(options->command, Command::sample);
  EXPECT_EQ(options->samples, 2);
  EXPECT_EQ(options->gap_s, 2.0);
  EXPECT_EQ(options->sampling.stop, sampler::StopMode::automatic);
  EXPECT_EQ(options->sampling.deadline, std::chrono::seconds(10));
  EXPECT_FALSE(options->pids_given);
}

TEST(Options, EmptyPidsSaysThatPgrepFoundNothing) {
  for (const auto& words : std::vector<std::vector<const char*>>{{"--pids"}, {"--pids", ""}, {"--pids", " , "}}) {
    const auto options = parse(words);
    ASSERT_FALSE(options.has_value());
    EXPECT_EQ(options.error().status, 2);
    EXPECT_THAT(options.error().err, HasSubstr("--pids is empty"));
  }
}

TEST(Options, WhatIsNoPidIsQuoted) {
  for (const char* word : {"train.py", "12a", "-5", "0", "99999999999", "0x10", "1.5"}) {
    const auto options = parse({"--pids", "1", word});
    ASSERT_FALSE(options.has_value()) << word;
    EXPECT_EQ(options.error().status, 2) << word;
  }
  EXPECT_THAT(parse({"--pids", "12a"}).error().err, HasSubstr("\"12a\" is not a process id"));
}

TEST(Options, ABareNumberIsToldToBeAPid) {
  const auto options = parse({"1234"});
  ASSERT_FALSE(options.has_value());
  EXPECT_EQ(options.error().status, 2);
  EXPECT_THAT(options.error().err, HasSubstr("hangstack --pids 1234"));
}

TEST(Options, SubcommandsTakeTheirOwnOptions) {
  EXPECT_EQ(parse({"sample", "--pids", "7"})->pids, std::vector<std::int32_t>{7});
  const auto replay = parse({"replay", "kept", "--full"});
  ASSERT_TRUE(replay.has_value()) << replay.error().err;
  EXPECT_EQ(replay->command, Command::replay);
  EXPECT_EQ(replay->capture_folder, "kept");
  EXPECT_TRUE(replay->text.full);
  const auto import = parse({"import", "3=a", "b", "--format", "json"});
  ASSERT_TRUE(import.has_value()) << import.error().err;
  EXPECT_EQ(import->command, Command::import_dumps);
  EXPECT_THAT(import->dumps, ElementsAre("3=a", "b"));
  EXPECT_EQ(import->format, Format::json);
  EXPECT_EQ(parse({"import"}).error().status, 2);
  EXPECT_EQ(parse({"doctor", "--pids", "7"})->command, Command::doctor);
  EXPECT_EQ(parse({"replay"}).error().status, 2);
}

TEST(Options, TheSuffixOfAFileNamesItsFormat) {
  const auto options = parse({"-o", "a.json", "-o", "b.txt", "--pids", "7"});
  ASSERT_TRUE(options.has_value()) << options.error().err;
  ASSERT_EQ(options->outputs.size(), 2U);
  EXPECT_EQ(options->outputs[0].format, Format::json);
  EXPECT_EQ(options->outputs[1].format, Format::text);
  const auto import = parse({"import", "-o", "a.json", "rank0.txt", "rank1.txt"});
  ASSERT_TRUE(import.has_value()) << import.error().err;
  EXPECT_EQ(import->outputs.size(), 1U) << "the files behind it are to be read, not to be written";
  EXPECT_THAT(import->dumps, ElementsAre("rank0.txt", "rank1.txt"));
  EXPECT_EQ(parse({"replay", "-o", "a.json", "kept"})->capture_folder, "kept");
  EXPECT_THAT(parse({"-o", "report"}).error().err, HasSubstr("\"report\" names no format"));
  EXPECT_THAT(parse({"-o", "a.pdf"}).error().err, HasSubstr(".txt, .html, .speedscope.json, .json, .folded, .dot"));
}

TEST(Options, EveryFormatHasANameAndASuffix) {
  const std::vector<std::tuple<const char*, const char*, Format>> formats{
      {"text", "a.txt", Format::text},        {"json", "a.json", Format::json},
      {"html", "a.html", Format::html},       {"speedscope", "a.speedscope.json", Format::speedscope},
      {"folded", "a.folded", Format::folded}, {"dot", "a.dot", Format::dot}};
  for (const auto& [name, file, format] : formats) {
    EXPECT_EQ(parse({"replay", "kept", "--format", name})->format, format) << name;
    EXPECT_EQ(parse({"import", "dump", "-o", file})->outputs.at(0).format, format) << file;
  }
  EXPECT_THAT(parse({"--format", "xml"}).error().err, HasSubstr("text, html, speedscope, json, folded, dot"));
}

TEST(Options, ValuesOutsideTheirRangeAreUsageErrors) {
  for (const auto& words : std::vector<std::vector<const char*>>{{"--samples", "0"},
                                                                 {"--samples", "many"},
                                                                 {"--gap", "-1"},
                                                                 {"--gap", "nan"},
                                                                 {"--timeout", "0"},
                                                                 {"--stop", "some"},
                                                                 {"--format", "xml"},
                                                                 {"--color", "red"},
                                                                 {"--native-only", "--python-only"},
                                                                 {"--no-such-option"}}) {
    const auto options = parse(words);
    ASSERT_FALSE(options.has_value()) << words.front();
    EXPECT_EQ(options.error().status, 2) << words.front();
    EXPECT_FALSE(options.error().err.empty());
  }
}

TEST(Options, HelpAndVersionGoToStdoutWithStatusZero) {
  EXPECT_EQ(parse({"--help"}).error().status, 0);
  EXPECT_THAT(parse({"--help"}).error().out, HasSubstr("--pids"));
  EXPECT_THAT(parse({"replay", "--help"}).error().out, HasSubstr("DIR"));
  EXPECT_THAT(parse({"--version"}).error().out, HasSubstr("hangstack "));
}

}  // namespace
}  // namespace hangstack::cli
