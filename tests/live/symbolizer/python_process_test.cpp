// Processes with something odd about their interpreter, live.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <optional>
#include <thread>

#include "tests/live/symbolizer/python_target.h"

namespace hangstack::tests {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

std::string script(const std::string& name) {
  return std::string(HANGSTACK_SOURCE_DIR) + "/tests/live/targets/" + name;
}

/// System call numbers of all threads as /proc shows them ("running" for one that runs).
std::vector<std::string> calls_of(std::int32_t pid) {
  std::vector<std::string> calls;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/task")) {
    std::ifstream file(entry.path() / "syscall");
    std::string word;
    file >> word;
    calls.push_back(word);
  }
  return calls;
}

class PythonProcessTest : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    python_ = find_python(GetParam());
    minor_ = std::stoi(GetParam().substr(2));
    if (python_.missing.empty()) return;
    if (require_all_pythons()) FAIL() << python_.missing;
    GTEST_SKIP() << python_.missing;
  }

  void start(const std::vector<std::string>& arguments, Environment environment = {}) {
    auto words = python_.command;
    words.insert(words.end(), arguments.begin(), arguments.end());
    environment.emplace_back("PYTHONUTF8", "1");
    target_.emplace(words, environment);
  }

  PythonProgram python_;
  int minor_ = 0;
  std::optional<Target> target_;
};

INSTANTIATE_TEST_SUITE_P(Versions, PythonProcessTest, testing::ValuesIn(all_python_versions()),
                         [](const auto& info) { return "Python" + info.param.substr(0, 1) + info.param.substr(2); });

TEST_P(PythonProcessTest, HolderOfTheGilAndThoseWhoWait) {
  start({script("python_gil.py")});
  ASSERT_EQ(target_->read_line(), "ready");
  // pause(2) in the one thread, futex(2) in the two that want the GIL.
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (calls_of(target_->pid()) != std::vector<std::string>{"34", "202", "202"}) {
    ASSERT_LT(std::chrono::steady_clock::now(), deadline);
  }
  const ReadProcess process = read_process(target_->pid());
  ASSERT_EQ(process.python.interpreters.size(), 1U);
  EXPECT_EQ(process.python.interpreters[0].gil_holder_tid, target_->pid());
  int waiting = 0;
  for (const auto& [tid, thread] : process.python.threads) {
    if (tid == target_->pid()) {
      EXPECT_EQ(thread.gil, model::GilState::holds);
    } else {
      waiting += thread.gil == model::GilState::waits ? 1 : 0;
    }
  }
  EXPECT_EQ(waiting, 2);
}

TEST_P(PythonProcessTest, ChildOfAForkByPython) {
  start({script("python_fork.py"), "os"});
  const int child = std::stoi(target_->read_line());
  ASSERT_TRUE(wait_for_rest(child));
  const ReadProcess process = read_process(child);
  ASSERT_NE(process.thread(child), nullptr);
  const int line = marked_line(script("python_fork.py"), "child");
  EXPECT_THAT(frames_of(*process.thread(child)), Contains("sleep_in_child:" + std::to_string(line)));
}

TEST_P(PythonProcessTest, ChildOfAForkThatPythonKnowsNothingOf) {
  start({script("python_fork.py"), "ctypes"});
  const int child = std::stoi(target_->read_line());
  ASSERT_TRUE(wait_for_rest(child));
  const ReadProcess process = read_process(child);
  ASSERT_NE(process.thread(child), nullptr);
  const int line = marked_line(script("python_fork.py"), "child");
  EXPECT_THAT(frames_of(*process.thread(child)), Contains("sleep_in_child:" + std::to_string(line)));
  EXPECT_EQ(process.python.threads.size(), 1U);
}

TEST_P(PythonProcessTest, ASecondCopyThatIsMerelyMappedDoesNotWin) {
  const std::string file = python_.library.empty() ? python_.executable : python_.library;
  const auto copy = std::filesystem::temp_directory_path() / ("hangstack-copy-" + std::to_string(::getpid()) + ".so");
  std::filesystem::copy_file(file, copy, std::filesystem::copy_options::overwrite_existing);
  std::vector<std::string> arguments{script("python_stack.py"),
                                     "import mmap; FILES = [open(p, 'rb') for p in ('" + file + "', '" + copy.string() +
                                         "')]; MAPPED = [mmap.mmap(f.fileno(), 0, prot=mmap.PROT_READ | "
                                         "mmap.PROT_WRITE, flags=mmap.MAP_PRIVATE) for f in FILES]"};
  // A libpython can be loaded a second time: with a runtime of its own that nobody initialises.
  if (!python_.library.empty()) arguments.push_back("ctypes.CDLL('" + copy.string() + "')");
  start(arguments);
  ASSERT_EQ(target_->read_line(), "ready");
  ASSERT_TRUE(wait_for_rest(target_->pid()));
  const ReadProcess process = read_process(target_->pid());
  std::filesystem::remove(copy);
  ASSERT_EQ(process.python.interpreters.size(), 1U);
  EXPECT_EQ(process.python.interpreters[0].module, file);
  EXPECT_THAT(process.python.problems, IsEmpty());
  EXPECT_NE(process.thread_running("leaf"), nullptr);
}

TEST_P(PythonProcessTest, SubinterpreterAndMainInterpreterInOneStack) {
  if (minor_ < 12) GTEST_SKIP() << "tried with 3.12 and later";
  const std::string file = script("python_subinterpreter.py");
  start({file});
  ASSERT_EQ(target_->read_line(), "ready");
  ASSERT_TRUE(wait_for_rest(target_->pid()));
  const ReadProcess process = read_process(target_->pid());
  EXPECT_EQ(process.python.interpreters.size(), 2U);
  ASSERT_NE(process.thread(target_->pid()), nullptr);
  auto frames = frames_of(*process.thread(target_->pid()));
  EXPECT_THAT(frames, ElementsAre("inside:5", "<module>:6", "enter:" + std::to_string(marked_line(file, "enter")),
                                  "<module>:" + std::to_string(marked_line(file, "module"))));
}

}  // namespace
}  // namespace hangstack::tests
