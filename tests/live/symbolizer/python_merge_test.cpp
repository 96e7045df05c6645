// Native and Python frames of a real process in one stack, for every version of Python.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "symbolizer/symbolizer.h"
#include "tests/live/symbolizer/python_target.h"

namespace hangstack::tests {
namespace {

using testing::ElementsAre;

const std::string kScript = std::string(HANGSTACK_SOURCE_DIR) + "/tests/live/targets/python_stack.py";

/// Python frames and two native landmarks, innermost first; markers with their notes.
std::vector<std::string> outline(const model::Thread& thread) {
  std::vector<std::string> shown;
  const auto add = [&shown](const std::string& word) {
    if (shown.empty() || shown.back() != word) shown.push_back(word);
  };
  for (const model::Frame& frame : thread.frames) {
    if (frame.kind == model::FrameKind::marker) add("! " + frame.note);
    if (frame.kind == model::FrameKind::python) add(frame.function);
    if (frame.kind != model::FrameKind::native) continue;
    // qsort is a call of qsort_r in some versions of glibc, and its helpers have no symbols.
    if (frame.function.starts_with("qsort")) add("qsort");
    if (frame.function == "ffi_call") add("ffi_call");
  }
  return shown;
}

const model::Thread& thread_of(const model::ProcessSnapshot& process, std::int32_t tid) {
  return *std::ranges::find(process.threads, tid, &model::Thread::tid);
}

model::ProcessSnapshot symbolize(std::int32_t pid) {
  // With all registers: Python 3.15 keeps frame pointers, and a thread that is merely looked at does not show rbp.
  return symbolizer::Symbolizer().symbolize(capture_of(pid, sampler::StopMode::all));
}

void start(std::optional<Target>& target, const PythonProgram& python, Environment environment = {}) {
  auto words = python.command;
  words.push_back(kScript);
  environment.emplace_back("PYTHONUTF8", "1");
  target.emplace(words, environment);
  ASSERT_EQ(target->read_line(), "ready");
  ASSERT_TRUE(wait_for_rest(target->pid()));
}

void expect_merged(const model::ProcessSnapshot& process, std::int32_t pid) {
  const model::Thread& main = thread_of(process, pid);
  EXPECT_TRUE(main.complete) << main.end;
  // A call from Python into C and back: each Python frame lies between the native frames that led to it.
  EXPECT_THAT(outline(main),
              ElementsAre("leaf", "mid", "cmp", "qsort", "ffi_call", "outer2", "outer1", "main", "<module>"));
  for (const model::Thread& thread : process.threads) {
    EXPECT_TRUE(std::ranges::none_of(thread.frames, [](const model::Frame& f) {
      return f.kind == model::FrameKind::marker;
    })) << thread.tid;
    // What blocks is native and innermost; the thread's start is native and outermost.
    ASSERT_GE(thread.frames.size(), 3U);
    EXPECT_EQ(thread.frames.front().kind, model::FrameKind::native);
    EXPECT_EQ(thread.frames.back().kind, model::FrameKind::native);
  }
}

class PythonMerge : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    python_ = find_python(GetParam());
    if (python_.missing.empty()) return;
    if (require_all_pythons()) FAIL() << python_.missing;
    GTEST_SKIP() << python_.missing;
  }
  PythonProgram python_;
};

INSTANTIATE_TEST_SUITE_P(Versions, PythonMerge, testing::ValuesIn(all_python_versions()),
                         [](const auto& info) { return "Python" + info.param.substr(0, 1) + info.param.substr(2); });

TEST_P(PythonMerge, FramesLieWhereTheStackHasThem) {
  std::optional<Target> target;
  start(target, python_);
  expect_merged(symbolize(target->pid()), target->pid());
}

TEST_P(PythonMerge, TheSameWithoutAnySymbolOfTheInterpreter) {
  if (python_.library.empty()) GTEST_SKIP() << "Debian's build is stripped: the test above is this one";
  const auto folder = std::filesystem::temp_directory_path() / ("hangstack-stripped-" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  const std::string copy = folder / "libtrainer.so";
  ASSERT_EQ(run_program({"objcopy", "--strip-all", python_.library, copy}).status, 0);
  std::optional<Target> target;
  start(target, python_, {{"LD_PRELOAD", copy}});
  const auto process = symbolize(target->pid());
  ASSERT_EQ(process.pythons.size(), 1U);
  EXPECT_EQ(process.pythons[0].module, copy);
  expect_merged(process, target->pid());
  std::filesystem::remove_all(folder);
}

/// A file tree of its own, as in a container: its files are found through /proc/PID/root.
TEST_P(PythonMerge, InAnotherRootFolder) {
  if (python_.root.empty()) GTEST_SKIP() << "not a Python with a root folder of its own";
  if (::geteuid() != 0) GTEST_SKIP() << "chroot needs root";
  const std::string folder = "/tmp/hangstack-root-" + std::to_string(::getpid());
  std::filesystem::create_directories(python_.root + folder);
  std::filesystem::copy_file(kScript, python_.root + folder + "/train.py",
                             std::filesystem::copy_options::overwrite_existing);
  Target target({"chroot", python_.root, "/usr/bin/python" + python_.version, folder + "/train.py"},
                {{"PYTHONUTF8", "1"}});
  ASSERT_EQ(target.read_line(), "ready");
  ASSERT_TRUE(wait_for_rest(target.pid()));
  const auto process = symbolize(target.pid());
  std::filesystem::remove_all(python_.root + folder);
  ASSERT_EQ(process.pythons.size(), 1U);
  // chroot alone makes no mount namespace: /proc/PID/maps shows paths from the reader's root.
  EXPECT_EQ(process.pythons[0].module, python_.root + "/usr/bin/python" + python_.version);
  expect_merged(process, target.pid());
}

TEST(PythonMergeDebian, RenamedAndStrippedOfEverything) {
  const PythonProgram python = debian_python();
  if (!python.missing.empty()) GTEST_SKIP() << python.missing;
  const auto folder = std::filesystem::temp_directory_path() / ("hangstack-renamed-" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  const std::string copy = folder / "trainer";
  ASSERT_EQ(run_program({"objcopy", "--strip-all", python.executable, copy}).status, 0);
  Target target({copy, kScript}, {{"PYTHONUTF8", "1"}, {"PYTHONHOME", "/usr"}});
  ASSERT_EQ(target.read_line(), "ready");
  ASSERT_TRUE(wait_for_rest(target.pid()));
  expect_merged(symbolize(target.pid()), target.pid());
  std::filesystem::remove_all(folder);
}

TEST(PythonMergeDebian, StaticStrippedInterpreter) {
  const PythonProgram python = debian_python();
  if (!python.missing.empty()) GTEST_SKIP() << python.missing;
  std::optional<Target> target;
  start(target, python);
  expect_merged(symbolize(target->pid()), target->pid());
}

}  // namespace
}  // namespace hangstack::tests
