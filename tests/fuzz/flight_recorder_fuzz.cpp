// A flight recorder made of arbitrary bytes, by every layout: rings, strings, vectors and trees all end.

#include <span>

#include "symbolizer/records/flight_recorder.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/repeated_memory.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hangstack;
  if (size < 9 || size > 32768) return 0;
  tests::RepeatedMemory memory(std::as_bytes(std::span(data, size)).subspan(1));
  const model::RemoteAddress address{static_cast<std::uint64_t>(data[0]) * 8 + 8};
  std::vector<symbolizer::Runtime> runtimes(1);
  for (const int minor : {8, 10, 12}) {
    runtimes.front().layout = *symbolizer::fixed_layout(minor);
    symbolizer::TracebackReader tracebacks(runtimes, memory);
    for (const symbolizer::RecorderLayout* layout : symbolizer::recorder_layouts())
      (void)symbolizer::read_flight_recorder(memory, address, tracebacks, *layout);
  }
  return 0;
}
