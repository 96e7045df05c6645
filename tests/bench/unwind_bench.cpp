// Unwinding and naming of captures: both unwinders, cold and warm, and the second rank of a job.
//
//   HANGSTACK_CAPTURES=DIR[:DIR...] unwind_bench [--benchmark_...]
//   HANGSTACK_PIDS=PID[,PID...]     unwind_bench           captures them first, without a stop where that is possible
#include <benchmark/benchmark.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <sstream>

#include "model/capture_codec.h"
#include "model/segment_reader.h"
#include "sampler/sampler.h"
#include "symbolizer/symbolizer.h"
#include "symbolizer/unwind/stack_inspector.h"
#include "symbolizer/unwind/unwinder.h"

namespace hangstack {
namespace {

std::vector<std::string> split(const char* text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text == nullptr ? "" : text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

std::vector<model::ProcessCapture> load() {
  std::vector<model::ProcessCapture> captures;
  for (const std::string& folder : split(std::getenv("HANGSTACK_CAPTURES"), ':')) {
    if (auto capture = model::load_capture(folder)) captures.push_back(std::move(*capture));
  }
  std::vector<sampler::Target> targets;
  for (const std::string& pid : split(std::getenv("HANGSTACK_PIDS"), ',')) targets.push_back({std::stoi(pid), {}});
  for (auto& result : sampler::sample_processes(targets, {}, [] { return symbolizer::make_stack_inspector(); })) {
    if (result) captures.push_back(std::move(*result));
  }
  return captures;
}

const std::vector<model::ProcessCapture>& captures() {
  static const std::vector<model::ProcessCapture> kCaptures = load();
  return kCaptures;
}

using MakeUnwinder = std::unique_ptr<symbolizer::Unwinder> (*)();

std::size_t unwind_all(const model::ProcessCapture& capture, symbolizer::Unwinder& unwinder,
                       symbolizer::ModuleCache& cache) {
  auto process_memory = model::SegmentReader::of_process(capture);
  symbolizer::ProcessModules modules(capture, cache, process_memory);
  std::size_t frames = 0;
  for (const model::ThreadCapture& thread : capture.threads) {
    const std::array<std::span<const model::MemorySegment>, 1> layers{thread.memory};
    model::SegmentReader memory(layers);
    frames += unwinder.unwind(thread, modules, memory).frames.size();
  }
  return frames;
}

void unwind_cold(benchmark::State& state, MakeUnwinder make) {
  std::size_t frames = 0;
  for (auto _ : state) {
    symbolizer::ModuleCache cache;
    frames = unwind_all(captures().front(), *make(), cache);
  }
  state.counters["frames"] = static_cast<double>(frames);
}

void unwind_warm(benchmark::State& state, MakeUnwinder make) {
  symbolizer::ModuleCache cache;
  const auto unwinder = make();
  std::size_t frames = unwind_all(captures().front(), *unwinder, cache);
  for (auto _ : state) frames = unwind_all(captures().front(), *unwinder, cache);
  state.counters["frames"] = static_cast<double>(frames);
}

void symbolize_first_rank(benchmark::State& state) {
  for (auto _ : state) {
    symbolizer::Symbolizer symbolizer({.python = false});
    benchmark::DoNotOptimize(symbolizer.symbolize(captures().front()));
  }
}

void symbolize_next_rank(benchmark::State& state) {
  symbolizer::Symbolizer symbolizer({.python = false});
  symbolizer.symbolize(captures().front());
  for (auto _ : state) benchmark::DoNotOptimize(symbolizer.symbolize(captures().back()));
}

BENCHMARK_CAPTURE(unwind_cold, rows, symbolizer::make_row_unwinder)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(unwind_cold, libunwind, symbolizer::make_libunwind_unwinder)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(unwind_warm, rows, symbolizer::make_row_unwinder)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(unwind_warm, libunwind, symbolizer::make_libunwind_unwinder)->Unit(benchmark::kMillisecond);
BENCHMARK(symbolize_first_rank)->Unit(benchmark::kMillisecond);
BENCHMARK(symbolize_next_rank)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace hangstack

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (hangstack::captures().empty()) {
    std::fputs("set HANGSTACK_CAPTURES or HANGSTACK_PIDS (see the head of this file)\n", stderr);
    return 2;
  }
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
