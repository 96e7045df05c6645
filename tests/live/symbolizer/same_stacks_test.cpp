// The three ways to a stack, compared address by address by the program as users run it. Code built with
// -fno-omit-frame-pointer is the hard case: a thread that is looked at does not show its frame pointer.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <thread>

#include "sampler/proc/proc_files.h"
#include "tests/live/symbolizer/python_target.h"
#include "tests/support/program.h"

namespace hangstack::tests {
namespace {

class Folder {
 public:
  Folder() {
    std::string name = std::filesystem::temp_directory_path() / "hangstack-same-XXXXXX";
    path_ = ::mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] std::string file(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

struct Stack {
  std::vector<std::string> addresses;  ///< of native frames, innermost first
  std::string end;
  std::string how;
};
using Stacks = std::map<int, Stack>;

Stacks sample(std::int32_t pid, const std::string& stop, const std::string& file) {
  const auto result = run_program(
      {HANGSTACK_BINARY, "--samples", "1", "--stop", stop, "--quiet", "-o", file, "--pids", std::to_string(pid)});
  EXPECT_EQ(result.status, 0) << result.err;
  std::ifstream stream(file);
  const auto report = nlohmann::json::parse(stream);
  Stacks stacks;
  for (const auto& thread : report.at("processes").at(0).at("threads")) {
    Stack& stack = stacks[thread.at("tid").get<int>()];
    stack.end = thread.at("end").is_null() ? "" : thread.at("end").get<std::string>();
    stack.how = thread.at("how").get<std::string>();
    for (const auto& frame : thread.at("frames")) {
      if (frame.at("kind") == "native") stack.addresses.push_back(frame.at("address").get<std::string>());
    }
  }
  return stacks;
}

/// Of a process that rests: `never` gives a part of each stack from the innermost frame on, and says why it ends;
/// `auto` gives all of it.
void expect_same_stacks(std::int32_t pid) {
  const Folder folder;
  const Stacks never = sample(pid, "never", folder.file("never.json"));
  const Stacks automatic = sample(pid, "auto", folder.file("auto.json"));
  const Stacks all = sample(pid, "all", folder.file("all.json"));
  ASSERT_FALSE(all.empty());
  ASSERT_EQ(never.size(), all.size());
  ASSERT_EQ(automatic.size(), all.size());
  std::size_t whole = 0;
  for (const auto& [tid, strict] : all) {
    SCOPED_TRACE(tid);
    const Stack& looked = never.at(tid);
    EXPECT_EQ(strict.how, "stopped");
    EXPECT_EQ(looked.how, "looked");
    EXPECT_EQ(strict.end, "complete");
    EXPECT_EQ(automatic.at(tid).addresses, strict.addresses) << automatic.at(tid).end;
    ASSERT_FALSE(looked.addresses.empty());
    ASSERT_LE(looked.addresses.size(), strict.addresses.size());
    for (std::size_t i = 0; i < looked.addresses.size(); ++i) EXPECT_EQ(looked.addresses[i], strict.addresses[i]) << i;
    if (looked.addresses.size() == strict.addresses.size()) {
      ++whole;
    } else {
      EXPECT_THAT(looked.end, testing::Not(testing::AnyOf("", "complete")));
    }
  }
  std::printf("%zu of %zu stacks are whole without a stop\n", whole, all.size());
}

TEST(SameStacks, OfALibraryOfPythonBuiltWithFramePointers) {
  const PythonProgram python = find_python("3.15");
  if (!python.missing.empty()) {
    if (require_all_pythons()) FAIL() << python.missing;
    GTEST_SKIP() << python.missing;
  }
  auto words = python.command;
  words.push_back(HANGSTACK_SOURCE_DIR "/tests/live/targets/python_stack.py");
  Target target(words, {{"PYTHONUTF8", "1"}});
  ASSERT_EQ(target.read_line(), "ready");
  ASSERT_TRUE(wait_for_rest(target.pid()));
  expect_same_stacks(target.pid());
}

TEST(SameStacks, OfEveryShapeOfCallBuiltWithFramePointers) {
  Target target({HANGSTACK_TARGETS "/target_unwind_frame_pointers", "chain", "virtual", "stale", "alloca", "arguments",
                 "tail", "qsort", "function", "noreturn", "recursion"});
  ASSERT_EQ(target.read_line(), "ready");
  ASSERT_TRUE(wait_for_rest(target.pid()));
  expect_same_stacks(target.pid());
}

/// openat, which waits for the other end of a FIFO.
bool wait_for_open(std::int32_t pid) {
  const sampler::ProcFiles proc;
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (std::chrono::steady_clock::now() < give_up) {
    const auto line = proc.read(std::to_string(pid) + "/syscall");
    if (line && line->starts_with("257 ")) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return false;
}

/// The large C++ program is hangstack itself, hung while it opens its report: CMakeLists.txt builds it so.
TEST(SameStacks, OfALargeProgramBuiltWithFramePointers) {
  const Folder folder;
  const std::string report = folder.file("report.json");
  ASSERT_EQ(::mkfifo(report.c_str(), 0600), 0);
  Target sampled({HANGSTACK_TARGETS "/target_threads", "4", "0"});
  ASSERT_THAT(sampled.read_line(), testing::HasSubstr("ready"));
  Target target({HANGSTACK_BINARY, "--samples", "1", "-o", report, "--pids", std::to_string(sampled.pid())});
  ASSERT_TRUE(wait_for_open(target.pid()));
  ASSERT_TRUE(wait_for_rest(target.pid()));
  expect_same_stacks(target.pid());
}

}  // namespace
}  // namespace hangstack::tests
