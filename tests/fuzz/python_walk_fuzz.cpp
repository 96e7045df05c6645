// Interpreters, frames, code objects and dicts made of arbitrary bytes: everything ends, and nothing is read outside.

#include <cstdint>
#include <cstring>
#include <span>

#include "symbolizer/python/attribute.h"
#include "symbolizer/python/code_object.h"
#include "symbolizer/python/debug_offsets.h"
#include "symbolizer/python/dict.h"
#include "symbolizer/python/frame_walk.h"
#include "symbolizer/python/runtime.h"
#include "symbolizer/python/thread_name.h"
#include "tests/fuzz/repeated_memory.h"

namespace {

using namespace hangstack;

void read_everything(const symbolizer::Layout& layout, model::MemoryReader& memory, model::RemoteAddress address) {
  using namespace symbolizer;
  read_interpreters(memory, layout, address);
  const FrameWalk walk = walk_frames(layout, memory, address);
  CodeReader codes(layout, memory);
  std::size_t resolved = 0;
  for (const RawGroup& group : walk.groups) {
    for (const RawFrame& frame : group.frames) {
      if (++resolved > 64) return;
      codes.resolve(frame);
    }
  }
  dict_value(memory, layout, address, "hexversion");
  attribute_value(memory, layout, address, "_name");
  thread_name(memory, layout, codes, walk);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 9 || size > 32768) return 0;
  const auto bytes = std::as_bytes(std::span(data, size));
  const model::RemoteAddress address{static_cast<std::uint64_t>(data[0]) * 8 + 8};
  tests::RepeatedMemory memory(bytes.subspan(1));
  for (const int minor : {8, 9, 10, 11, 12}) read_everything(*symbolizer::fixed_layout(minor), memory, address);
  if (const auto layout = symbolizer::layout_from_debug_offsets(bytes.subspan(1))) {
    read_everything(*layout, memory, address);
  }
  return 0;
}
