// Every supported version of Python, live: a captured traceback has the functions, files and lines that Python gives.

#include "symbolizer/records/captured_traceback.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sampler/memory/live_memory.h"
#include "tests/live/symbolizer/python_target.h"

namespace hangstack::tests {
namespace {

const std::string kScript = std::string(HANGSTACK_SOURCE_DIR) + "/tests/live/targets/python_traceback.py";
constexpr std::uint64_t kFramesOffset = 8;

class CapturedTraceback : public testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Versions, CapturedTraceback, testing::ValuesIn(all_python_versions()),
                         [](const auto& info) { return "Python" + info.param.substr(0, 1) + info.param.substr(2); });

TEST_P(CapturedTraceback, HasTheFunctionsFilesAndLinesThatPythonGives) {
  const PythonProgram python = find_python(GetParam());
  if (!python.missing.empty()) {
    if (require_all_pythons()) FAIL() << python.missing;
    GTEST_SKIP() << python.missing;
  }
  auto words = python.command;
  words.push_back(kScript);
  Target target(words, Environment{{"PYTHONUTF8", "1"}});
  const model::RemoteAddress address{std::stoull(target.read_line())};
  std::vector<std::string> told;
  for (std::string line = target.read_line(); line != "ready" && !line.empty(); line = target.read_line())
    told.push_back(line);
  ASSERT_GE(told.size(), 8U);
  ASSERT_TRUE(wait_for_rest(target.pid()));

  const model::ProcessCapture capture = capture_of(target.pid(), sampler::StopMode::automatic);
  sampler::LiveMemory memory(target.pid(), "/proc/" + std::to_string(target.pid()), capture.mappings, {});
  symbolizer::ModuleCache cache;
  symbolizer::ProcessModules modules(capture, cache, memory);
  const auto runtimes = symbolizer::find_runtimes(capture, modules, memory).runtimes;
  symbolizer::TracebackReader tracebacks(runtimes, memory);
  std::vector<std::string> found;
  for (const model::RecordedFrame& frame : tracebacks.read(address, kFramesOffset)) {
    const std::string name = frame.function.substr(frame.function.rfind('.') + 1);  // qualified from 3.11 on
    found.push_back(fmt::format("{} {} {}", name, frame.file, frame.line));
  }
  EXPECT_EQ(found, told);
}

}  // namespace
}  // namespace hangstack::tests
