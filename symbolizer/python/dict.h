#pragma once
// Looking a name up in a dict of the process: for module dicts, and for the attributes of plain objects.

#include <cstdint>
#include <optional>
#include <string_view>

#include "model/memory_reader.h"
#include "symbolizer/python/layout.h"

namespace hangstack::symbolizer {

/// Entries of one dict that are looked at, at most.
inline constexpr std::size_t kMaxDictEntries = 65536;

/// The value of a str key; 0 if it is not there.
std::uint64_t dict_value(model::MemoryReader& memory, const Layout& layout, model::RemoteAddress dict,
                         std::string_view key);

/// The same for keys that instances of a class share (PyDictKeysObject) and one instance's array of values.
std::uint64_t shared_key_value(model::MemoryReader& memory, const Layout& layout, model::RemoteAddress keys,
                               model::RemoteAddress values, std::string_view key);

/// An int of at most 60 bits; none if the object is not read as one. The caller knows that it is an int.
std::optional<std::int64_t> read_small_int(model::MemoryReader& memory, const Layout& layout,
                                           model::RemoteAddress object);

}  // namespace hangstack::symbolizer
