#pragma once
// An attribute of a plain object: one whose class keeps its instances' attributes in a dict, in whichever way the
// version does that.

#include <cstdint>
#include <string_view>

#include "model/memory_reader.h"
#include "symbolizer/python/layout.h"

namespace hangstack::symbolizer {

/// Address of the value; 0 if the instance has no such attribute, or keeps it elsewhere (slots, properties). Nothing is
/// known of free-threaded builds.
std::uint64_t attribute_value(model::MemoryReader& memory, const Layout& layout, model::RemoteAddress object,
                              std::string_view name);

}  // namespace hangstack::symbolizer
