#include "tests/live/symbolizer/python_target.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "model/segment_reader.h"
#include "sampler/sampler.h"
#include "symbolizer/inspector.h"

namespace hangstack::tests {
namespace {

/// States and context switches of all threads, as text; empty if one of them runs.
std::string rest_mark(std::int32_t pid) {
  std::string mark;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/task", error)) {
    std::ifstream status(entry.path() / "status");
    for (std::string line; std::getline(status, line);) {
      if (line.starts_with("State:") && line.find("\tS") == std::string::npos) return {};
      if (line.find("ctxt_switches") != std::string::npos) mark += line + '\n';
    }
  }
  return mark;
}

}  // namespace

bool wait_for_rest(std::int32_t pid) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  std::string before;
  while (std::chrono::steady_clock::now() < deadline) {
    const std::string mark = rest_mark(pid);
    if (!mark.empty() && mark == before) return true;
    before = mark;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return false;
}

int marked_line(const std::string& script, const std::string& name) {
  std::ifstream stream(script);
  int number = 0;
  for (std::string line; std::getline(stream, line);) {
    ++number;
    if (line.ends_with("# LINE " + name)) return number;
  }
  return 0;
}

const symbolizer::PythonThread* ReadProcess::thread_running(const std::string& function) const {
  for (const auto& [tid, thread] : python.threads) {
    for (const symbolizer::PythonGroup& group : thread.groups) {
      for (const model::Frame& frame : group.frames) {
        if (frame.function == function) return &thread;
      }
    }
  }
  return nullptr;
}

const symbolizer::PythonThread* ReadProcess::thread(std::int32_t tid) const {
  const auto found = python.threads.find(tid);
  return found == python.threads.end() ? nullptr : &found->second;
}

model::ProcessCapture capture_of(std::int32_t pid, sampler::StopMode stop) {
  const sampler::Target target{pid, {}};
  sampler::SamplingOptions options;
  options.stop = stop;
  auto results = sampler::sample_processes(std::span(&target, 1), options, [] {
    static symbolizer::ModuleCache cache;
    return symbolizer::make_python_inspector(cache);
  });
  if (!results.front()) throw std::runtime_error(results.front().error().error.message);
  return std::move(*results.front());
}

ReadProcess read_process(std::int32_t pid) {
  ReadProcess result;
  result.capture = capture_of(pid, sampler::StopMode::automatic);
  symbolizer::ModuleCache cache;
  auto memory = model::SegmentReader::of_process(result.capture);
  symbolizer::ProcessModules modules(result.capture, cache, memory);
  result.python = symbolizer::read_python(result.capture, modules);
  return result;
}

std::vector<std::string> frames_of(const symbolizer::PythonThread& thread) {
  std::vector<std::string> shown;
  for (const symbolizer::PythonGroup& group : thread.groups) {
    for (const model::Frame& frame : group.frames) shown.push_back(frame.function + ":" + std::to_string(frame.line));
  }
  return shown;
}

}  // namespace hangstack::tests
