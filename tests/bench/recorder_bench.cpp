// The flight recorder of a live process: read by system calls, page by page into a capture, and again out of it.
//
//   HANGSTACK_PIDS=PID recorder_bench [--benchmark_...]     of a process that stands still
#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "model/segment_reader.h"
#include "sampler/memory/live_memory.h"
#include "sampler/memory/recording_memory.h"
#include "sampler/sampler.h"
#include "symbolizer/inspector.h"
#include "symbolizer/native/process_modules.h"
#include "symbolizer/python/runtime.h"
#include "symbolizer/records/recorders.h"

namespace hangstack {
namespace {

struct Sampled {
  model::ProcessCapture capture;
  symbolizer::ModuleCache cache;
};

/// The process of HANGSTACK_PIDS, with everything that its recorders need in the capture; null if it cannot be read.
Sampled* sampled() {
  static Sampled kept;
  static const bool kFound = [] {
    const char* pid = std::getenv("HANGSTACK_PIDS");
    if (pid == nullptr) return false;
    const sampler::Target target{std::atoi(pid), {}};
    static const symbolizer::SymbolizerOptions kOptions;
    auto results = sampler::sample_processes(std::span(&target, 1), {},
                                             [] { return symbolizer::make_inspector(kOptions, kept.cache); });
    if (!results.front()) return false;
    kept.capture = std::move(*results.front());
    return true;
  }();
  return kFound ? &kept : nullptr;
}

void count(benchmark::State& state, const std::vector<model::FlightRecorder>& recorders) {
  std::uint64_t operations = 0;
  for (const auto& recorder : recorders) operations += recorder.recorded;
  state.counters["recorded"] = static_cast<double>(operations);
}

void read_from_process(benchmark::State& state) {
  Sampled& process = *sampled();
  const std::string folder = "/proc/" + std::to_string(process.capture.pid);
  sampler::LiveMemory live(process.capture.pid, folder, process.capture.mappings, {});
  symbolizer::ProcessModules modules(process.capture, process.cache, live);
  const auto places = symbolizer::find_recorder_places(modules);
  const auto runtimes = symbolizer::find_runtimes(process.capture, modules, live).runtimes;
  for (auto _ : state) {
    sampler::RecordingMemory recording(live);
    count(state, symbolizer::read_recorders(places, runtimes, recording));
  }
}

void read_from_capture(benchmark::State& state) {
  Sampled& process = *sampled();
  auto memory = model::SegmentReader::of_process(process.capture);
  symbolizer::ProcessModules modules(process.capture, process.cache, memory);
  for (auto _ : state) count(state, symbolizer::read_recorders(process.capture, modules, memory));
}

void find_places(benchmark::State& state) {
  Sampled& process = *sampled();
  auto memory = model::SegmentReader::of_process(process.capture);
  for (auto _ : state) {
    symbolizer::ProcessModules modules(process.capture, process.cache, memory);
    benchmark::DoNotOptimize(symbolizer::find_recorder_places(modules));
  }
}

void find_interpreters(benchmark::State& state) {
  Sampled& process = *sampled();
  auto memory = model::SegmentReader::of_process(process.capture);
  for (auto _ : state) {
    symbolizer::ProcessModules modules(process.capture, process.cache, memory);
    benchmark::DoNotOptimize(symbolizer::find_runtimes(process.capture, modules, memory));
  }
}

BENCHMARK(read_from_process)->Unit(benchmark::kMillisecond);
BENCHMARK(read_from_capture)->Unit(benchmark::kMillisecond);
BENCHMARK(find_places)->Unit(benchmark::kMillisecond);
BENCHMARK(find_interpreters)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace hangstack

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (hangstack::sampled() == nullptr) {
    std::fputs("set HANGSTACK_PIDS to a process that can be read\n", stderr);
    return 2;
  }
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
