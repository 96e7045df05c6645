#include "report/words/frame_names.h"

#include <gtest/gtest.h>

#include "report/printable.h"
#include "report/text/chain_lines.h"
#include "tests/support/report_builder.h"

namespace hangstack::report {
namespace {

using tests::native;
using tests::py;

TEST(ShortFunction, KeepsTheLastTwoComponents) {
  EXPECT_EQ(short_function("gloo::transport::tcp::UnboundBuffer::waitRecv(int*, std::chrono::duration<long>)"),
            "UnboundBuffer::waitRecv");
  EXPECT_EQ(short_function("c10d::Work::wait(std::chrono::duration<long, std::ratio<1l, 1000l> >)"), "Work::wait");
  EXPECT_EQ(short_function("gloo::allreduce(gloo::AllreduceOptions&)"), "gloo::allreduce");
  EXPECT_EQ(short_function("pthread_cond_wait"), "pthread_cond_wait");
  EXPECT_EQ(short_function("pthread_cond_wait@@GLIBC_2.3.2"), "pthread_cond_wait");
}

TEST(ShortFunction, DropsReturnTypesTemplatesAndQualifiers) {
  EXPECT_EQ(short_function("void at::native::copy_kernel<float, 4>(at::Tensor const&) const"), "native::copy_kernel");
  EXPECT_EQ(short_function("std::vector<int, std::allocator<int> >::push_back(int&&)"), "vector::push_back");
  EXPECT_EQ(short_function("std::enable_if<(a > b), int>::type f<int>(int)"), "f");
  EXPECT_EQ(short_function("std::__cxx11::basic_string::assign[abi:cxx11](char const*)"), "basic_string::assign");
  EXPECT_EQ(short_function("(anonymous namespace)::Loop::run()"), "Loop::run");
}

TEST(ShortFunction, KnowsOperatorsAndLambdas) {
  EXPECT_EQ(short_function("Foo::operator()(int) const"), "Foo::operator()");
  EXPECT_EQ(short_function("std::ostream& ns::Bar::operator<< <int>(std::ostream&, int)"), "Bar::operator<<");
  EXPECT_EQ(short_function("Foo::operator->() const"), "Foo::operator->");
  EXPECT_EQ(short_function("Foo::operator bool() const"), "Foo::operator bool");
  EXPECT_EQ(short_function("run(int)::{lambda(int)#1}::operator()(int) const"), "{lambda}::operator()");
}

TEST(ShortFunction, TakesAnyText) {
  for (const char* text : {"", "(", "<", ">", ")", "::", "a<b", "operator", "operator<", "f(", "((((", " ",
                           "a::", "-> >", "void ", "]", "{lambda"}) {
    EXPECT_NO_THROW(short_function(text)) << text;
  }
  EXPECT_EQ(short_function("("), "(");
  EXPECT_EQ(short_function(std::string(100000, '<')), std::string(100000, '<'));
}

TEST(ShortPythonName, DropsLocalsAndLongPrefixes) {
  EXPECT_EQ(short_python_name("train"), "train");
  EXPECT_EQ(short_python_name("<module>"), "<module>");
  EXPECT_EQ(short_python_name("Trainer.fit.<locals>.step"), "fit.step");
  EXPECT_EQ(short_python_name("f.<locals>.<lambda>"), "f.<lambda>");
}

TEST(ShortPath, KeepsTwoComponentsAndOneOfInstalledFiles) {
  EXPECT_EQ(short_path("/home/u/job/train/loop.py"), "train/loop.py");
  EXPECT_EQ(short_path("train.py"), "train.py");
  EXPECT_EQ(short_path("/x/site-packages/torch/distributed/distributed_c10d.py"), "distributed_c10d.py");
  EXPECT_EQ(short_path("/usr/lib/python3.12/threading.py"), "threading.py");
  EXPECT_EQ(short_path("<string>"), "<string>");
}

TEST(ChainSteps, LeaveOutTheInterpreterAndCountTheNameless) {
  const std::vector<model::Frame> chain{native("_start", "python3.12"),
                                        native("Py_RunMain", "libpython3.12.so"),
                                        native("", "libpython3.12.so"),
                                        py("f", "a/b.py", 3),
                                        native("_PyEval_EvalFrameDefault", "libpython3.12.so"),
                                        py("g", "a/b.py", 9),
                                        native("take_gil", "libpython3.12.so"),
                                        native("", "/l/libcuda.so.1"),
                                        native("", "/l/libcuda.so.1")};
  std::vector<std::string> labels;
  for (const auto& step : chain_steps(chain)) labels.push_back(step.label);
  EXPECT_EQ(labels, (std::vector<std::string>{"f a/b.py:3", "g a/b.py:9", "take_gil", "libcuda.so.1 ×2"}));
}

/// Debian's libc has no names for the functions that start a program; inside the stack they are worth a word.
TEST(ChainSteps, LeaveOutWhereAStrippedCLibraryStarts) {
  const std::vector<model::Frame> chain{native("", "/lib/libc.so.6"), native("__libc_start_main", "/lib/libc.so.6"),
                                        native("main", "server"), native("", "/lib/libc.so.6")};
  std::vector<std::string> labels;
  for (const auto& step : chain_steps(chain)) labels.push_back(step.label);
  EXPECT_EQ(labels, (std::vector<std::string>{"main", "libc.so.6"}));
}

TEST(ChainSteps, ShowMachineryWhenThereIsNothingElse) {
  const std::vector<model::Frame> chain{native("clone3", "libc.so.6"), native("start_thread", "libc.so.6")};
  EXPECT_EQ(chain_steps(chain).size(), 2U);
}

TEST(ChainSteps, KeepMainOfANativeProgram) {
  const std::vector<model::Frame> chain{native("_start", "server"), native("main", "server")};
  const auto steps = chain_steps(chain);
  ASSERT_EQ(steps.size(), 1U);
  EXPECT_EQ(steps[0].label, "main");
}

TEST(ChainLines, KeepPythonAndTheInnermostFrames) {
  std::vector<ChainStep> steps;
  for (const char* name : {"<module> train.py:1", "fit train.py:2", "all_reduce c10d.py:3"})
    steps.push_back({name, true});
  for (int i = 0; i < 30; ++i) steps.push_back({"native_frame_number_" + std::to_string(i), false});
  const auto lines = chain_lines(steps, {60, 70, 3});
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_TRUE(lines[0].starts_with("<module> train.py:1 > fit train.py:2"));
  EXPECT_TRUE(lines[2].ends_with("native_frame_number_29"));
  std::string all = lines[0] + lines[1] + lines[2];
  EXPECT_NE(all.find("all_reduce c10d.py:3"), std::string::npos);
  EXPECT_NE(all.find("native_frame_number_0"), std::string::npos);
  EXPECT_NE(all.find("…"), std::string::npos);
}

TEST(ChainLines, ADeepRecursionStaysWithinItsLines) {
  std::vector<ChainStep> steps;
  for (int i = 0; i < 20000; ++i) steps.push_back({"walk tree.py:" + std::to_string(i), true});
  const auto lines = chain_lines(steps, {80, 80, 3});
  ASSERT_LE(lines.size(), 3U);
  EXPECT_TRUE(lines.front().starts_with("walk tree.py:0 > "));
  EXPECT_TRUE(lines.back().ends_with("walk tree.py:19999"));
  for (const auto& line : lines) EXPECT_LE(columns(line), 80);
}

TEST(ChainLines, AllOfItWithoutALimit) {
  const std::vector<ChainStep> steps(50, ChainStep{"a_frame_of_some_length", false});
  const auto lines = chain_lines(steps, {40, 40, 0});
  EXPECT_EQ(lines.size(), 50U);
}

}  // namespace
}  // namespace hangstack::report
