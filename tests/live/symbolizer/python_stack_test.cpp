// Every supported version of Python, live: functions, lines and threads of a process at rest.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "tests/live/symbolizer/python_target.h"

namespace hangstack::tests {
namespace {

using testing::ElementsAre;

const std::string kScript = std::string(HANGSTACK_SOURCE_DIR) + "/tests/live/targets/python_stack.py";

class PythonStack : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    python_ = find_python(GetParam());
    if (!python_.missing.empty()) {
      if (require_all_pythons()) FAIL() << python_.missing;
      GTEST_SKIP() << python_.missing;
    }
    minor_ = std::stoi(GetParam().substr(2));
  }

  ReadProcess run() {
    auto words = python_.command;
    words.push_back(kScript);
    target_.emplace(words, Environment{{"PYTHONUTF8", "1"}});
    EXPECT_EQ(target_->read_line(), "ready");
    EXPECT_TRUE(wait_for_rest(target_->pid()));
    return read_process(target_->pid());
  }

  static std::string at(const std::string& function, const std::string& line) {
    return function + ":" + std::to_string(marked_line(kScript, line));
  }

  /// Versions before 3.11 have no qualified names.
  [[nodiscard]] std::string name(const std::string& qualified) const {
    const std::size_t dot = qualified.rfind('.');
    return minor_ >= 11 || dot == std::string::npos ? qualified : qualified.substr(dot + 1);
  }

  PythonProgram python_;
  int minor_ = 0;
  std::optional<Target> target_;
};

INSTANTIATE_TEST_SUITE_P(Versions, PythonStack, testing::ValuesIn(all_python_versions()),
                         [](const auto& info) { return "Python" + info.param.substr(0, 1) + info.param.substr(2); });

TEST_P(PythonStack, EveryThreadHasItsFunctionsAndLines) {
  const ReadProcess process = run();
  ASSERT_EQ(process.python.problems.size(), 0U) << process.python.problems[0].error.message;
  ASSERT_EQ(process.python.interpreters.size(), 1U);
  EXPECT_TRUE(process.python.interpreters[0].version.starts_with(GetParam() + "."));
  EXPECT_EQ(process.python.threads.size(), 7U);

  const auto* main = process.thread(target_->pid());
  ASSERT_NE(main, nullptr);
  EXPECT_THAT(frames_of(*main),
              ElementsAre(at("leaf", "leaf"), at("mid", "mid"), at("cmp", "cmp"), at("outer2", "outer2"),
                          at("outer1", "outer1"), at("main", "main"), at("<module>", "module")));
  EXPECT_EQ(main->broken, "");
  const auto& file = main->groups[0].frames[0].file;
  EXPECT_EQ(file, kScript);
}

TEST_P(PythonStack, GeneratorsAndCoroutinesAreInTheChain) {
  const ReadProcess process = run();
  const auto* generators = process.thread_running("numbers_inside");
  ASSERT_NE(generators, nullptr);
  const std::string expression = name("run_generators.<locals>.<genexpr>");
  EXPECT_THAT(std::vector(frames_of(*generators)).size(), testing::Ge(5U));
  auto frames = frames_of(*generators);
  frames.resize(5);
  EXPECT_THAT(frames, ElementsAre(at("sleep_for_good", "sleep"), at("numbers_inside", "inside"),
                                  at("numbers_outside", "outside"), at(expression, "generators"),
                                  at("run_generators", "generators")));

  const auto* coroutine = process.thread_running("coroutine_inside");
  ASSERT_NE(coroutine, nullptr);
  frames = frames_of(*coroutine);
  frames.resize(5);
  EXPECT_THAT(frames, ElementsAre(at("sleep_for_good", "sleep"), at(name("Done.__await__"), "await"),
                                  at("coroutine_inside", "coroutine_inside"),
                                  at("coroutine_outside", "coroutine_outside"), at("run_coroutine", "coroutine")));
}

TEST_P(PythonStack, NamesOfEveryKindAreExact) {
  const ReadProcess process = run();
  const auto* names = process.thread_running("функция");
  ASSERT_NE(names, nullptr);
  auto frames = frames_of(*names);
  ASSERT_GE(frames.size(), 5U);
  frames.resize(5);
  EXPECT_THAT(frames, ElementsAre(at("sleep_for_good", "sleep"), at(name("функция.<locals>.𠮷野"), "ucs4"),
                                  at("функция", "ucs2"), at(name("Café.blocké"), "latin1"),
                                  at(name("main.<locals>.<lambda>"), "lambda")));
}

TEST_P(PythonStack, CallsThatSpanLinesGiveTheLineOfTheCall) {
  const ReadProcess process = run();
  const auto* lines = process.thread_running("several_lines");
  ASSERT_NE(lines, nullptr);
  auto frames = frames_of(*lines);
  ASSERT_GE(frames.size(), 3U);
  frames.resize(3);
  EXPECT_THAT(frames, ElementsAre(at("sleep_for_good", "sleep"), at("take_all", "take_all"),
                                  at("several_lines", "several_lines")));
}

TEST_P(PythonStack, DeepRecursionIsComplete) {
  const ReadProcess process = run();
  const auto* deep = process.thread_running("recurse");
  ASSERT_NE(deep, nullptr);
  const auto frames = frames_of(*deep);
  EXPECT_EQ(std::ranges::count(frames, at("recurse", "recurse")), 300);
  EXPECT_EQ(std::ranges::count(frames, at("recurse", "recurse_end")), 1);
}

TEST_P(PythonStack, ThreadsHaveTheNamesThatPythonGaveThem) {
  const ReadProcess process = run();
  std::vector<std::string> names;
  for (const auto& [tid, thread] : process.python.threads) names.push_back(thread.name);
  // The main thread's has no place on its stack.
  EXPECT_THAT(names, testing::UnorderedElementsAre("", "generators", "coroutine", "lines", "names", "lock", "deep"));
  EXPECT_EQ(process.thread_running("recurse")->name, "deep");
}

TEST_P(PythonStack, AThreadThatWaitsForALockShowsWhere) {
  const ReadProcess process = run();
  const auto* lock = process.thread_running("wait_for_lock");
  ASSERT_NE(lock, nullptr);
  EXPECT_EQ(frames_of(*lock)[0], at("wait_for_lock", "lock"));
  EXPECT_EQ(lock->gil, model::GilState::none);
}

}  // namespace
}  // namespace hangstack::tests
