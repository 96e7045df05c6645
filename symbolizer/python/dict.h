#pragma once
// Looking a name up in a dict of the process: for module dicts, and for the attributes of plain objects.

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "model/memory_reader.h"
#include "symbolizer/python/layout.h"

namespace hangstack::symbolizer {

/// Entries of one dict that are looked at, at most.
inline constexpr std::size_t kMaxDictEntries = 65536;

/// Calls `visit(key, value)` with the object addresses of each entry until it returns false. Nothing at all for a dict
/// that cannot be read.
void for_each_entry(model::MemoryReader& memory, const Layout& layout, model::RemoteAddress dict,
                    const std::function<bool(std::uint64_t key, std::uint64_t value)>& visit);

/// The value of a str key; 0 if it is not there.
std::uint64_t dict_value(model::MemoryReader& memory, const Layout& layout, model::RemoteAddress dict,
                         std::string_view key);

/// An int of at most 60 bits; none if the object is not read as one. The caller knows that it is an int.
std::optional<std::int64_t> read_small_int(model::MemoryReader& memory, const Layout& layout,
                                           model::RemoteAddress object);

}  // namespace hangstack::symbolizer
