// The cases of tests/replay/cases: sessions as --capture keeps them, with the report that must come of them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "cli/capture_folder.h"
#include "symbolizer/symbolizer.h"
#include "tests/support/program.h"

namespace hangstack {
namespace {

namespace fs = std::filesystem;
using model::ProcessCapture;

std::string contents(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

std::vector<fs::path> cases() {
  std::vector<fs::path> list;
  for (const auto& entry : fs::directory_iterator(HANGSTACK_SOURCE_DIR "/tests/replay/cases"))
    list.push_back(entry.path());
  std::ranges::sort(list);
  return list;
}

class Replay : public ::testing::TestWithParam<fs::path> {
 protected:
  void SetUp() override {
    auto saved = cli::load_session(GetParam());
    ASSERT_TRUE(saved) << saved.error().message;
    saved_ = std::move(*saved);
  }

  std::vector<ProcessCapture> captures() {
    std::vector<ProcessCapture> all;
    for (auto& process : saved_.session.samples.front()) all.push_back(process.capture);
    return all;
  }

  cli::SavedSession saved_;
};

TEST_P(Replay, GivesTheReportThatWasRecorded) {
  const auto done = tests::run_program(
      {HANGSTACK_BINARY, "replay", GetParam(), "--full", "--all-threads", "--why", "--color", "never"});
  EXPECT_EQ(done.status, 0);
  EXPECT_EQ(done.err, "");
  const fs::path expected = GetParam() / "expected.txt";
  if (std::getenv("HANGSTACK_BLESS") != nullptr) std::ofstream(expected) << done.out;
  EXPECT_EQ(done.out, contents(expected));
}

TEST_P(Replay, WhatThinKeepsGivesTheSameReport) {
  std::string folder = fs::temp_directory_path() / "hangstack-thinned-XXXXXX";
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  const std::string thinned = folder + "/thinned";
  ASSERT_EQ(tests::run_program({HANGSTACK_BINARY, "replay", GetParam(), "--quiet", "--thin", thinned}).status, 0);
  const auto done =
      tests::run_program({HANGSTACK_BINARY, "replay", thinned, "--full", "--all-threads", "--why", "--color", "never"});
  EXPECT_EQ(done.out, contents(GetParam() / "expected.txt"));
  fs::remove_all(folder);
}

TEST_P(Replay, OpensNoFileOfTheMachineThatItRunsOn) {
  for (const ProcessCapture& capture : captures()) {
    EXPECT_FALSE(capture.files.empty());
    for (const model::MappedFile& file : capture.files) EXPECT_TRUE(file.open_paths.empty()) << file.path;
  }
}

TEST_P(Replay, WithoutFactsNoStackIsCalledComplete) {
  symbolizer::Symbolizer symbolizer;
  for (const ProcessCapture& capture : captures()) {
    for (const model::Thread& thread : symbolizer.symbolize(capture).threads) {
      EXPECT_FALSE(thread.complete);
      EXPECT_NE(thread.end, "");
    }
  }
}

/// The innermost frames of the whole stack, and an end that does not claim to be the whole one.
void expect_start_of(const model::Thread& got, const model::Thread& whole) {
  std::vector<std::uint64_t> addresses;
  std::vector<std::uint64_t> expected;
  for (const auto& frame : got.frames)
    if (frame.kind == model::FrameKind::native) addresses.push_back(frame.address);
  for (const auto& frame : whole.frames)
    if (frame.kind == model::FrameKind::native) expected.push_back(frame.address);
  ASSERT_LE(addresses.size(), expected.size());
  EXPECT_TRUE(addresses.size() == expected.size() || !got.complete);
  expected.resize(addresses.size());
  EXPECT_EQ(addresses, expected);
}

TEST_P(Replay, AnyCutOfAStackEndsHonestly) {
  symbolizer::Symbolizer symbolizer;
  ASSERT_TRUE(symbolizer.load_facts(saved_.facts_json));
  for (const ProcessCapture& whole : captures()) {
    const model::ProcessSnapshot expected = symbolizer.symbolize(whole);
    for (std::size_t i = 0; i < whole.threads.size(); ++i) {
      if (whole.threads[i].memory.empty()) continue;
      ProcessCapture cut = whole;
      cut.threads = {whole.threads[i]};
      auto& bytes = cut.threads[0].memory.front().bytes;
      const std::vector<std::byte> all = bytes;
      for (std::size_t size = 0; size < std::min<std::size_t>(all.size(), 2048); size += 128) {
        bytes.assign(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(size));
        expect_start_of(symbolizer.symbolize(cut).threads.at(0), expected.threads.at(i));
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, Replay, ::testing::ValuesIn(cases()),
                         [](const auto& info) { return info.param.filename().string(); });

}  // namespace
}  // namespace hangstack
