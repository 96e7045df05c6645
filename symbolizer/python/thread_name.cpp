#include "symbolizer/python/thread_name.h"

#include "symbolizer/python/attribute.h"
#include "symbolizer/python/objects.h"

namespace hangstack::symbolizer {

std::string thread_name(model::MemoryReader& memory, const Layout& layout, CodeReader& codes, const FrameWalk& walk) {
  if (!walk.broken.empty() || walk.groups.empty() || walk.groups.back().frames.empty()) return {};
  const RawFrame& outermost = walk.groups.back().frames.back();
  const CodeObject& code = codes.at(outermost.code);
  // Qualified or not, by version.
  if (!code.function.ends_with("_bootstrap") || !code.file.ends_with("threading.py")) return {};
  const model::RemoteAddress first_local{outermost.address + layout.frame.locals};
  std::uint64_t self = memory.read<std::uint64_t>(first_local).value_or(0);
  if (layout.frame.tagged_code) self &= ~3ULL;
  const std::uint64_t name = attribute_value(memory, layout, model::RemoteAddress{self}, "_name");
  return read_text(memory, layout.object, model::RemoteAddress{name}).value_or(std::string());
}

}  // namespace hangstack::symbolizer
