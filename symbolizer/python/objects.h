#pragma once
// The few Python objects that frames refer to: strings, bytes and the names of types. All lengths are bounded.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "model/memory_reader.h"
#include "symbolizer/python/layout.h"

namespace hangstack::symbolizer {

/// Characters of one string that are read at most; a longer one ends in "...".
inline constexpr std::size_t kMaxTextLength = 4096;

/// A str as UTF-8: Latin-1, UCS-2 and UCS-4 alike; lone surrogates and invalid code points become U+FFFD. None if
/// there is no str at the address, or an old non-compact one (3.11 and earlier, made by extensions only).
std::optional<std::string> read_text(model::MemoryReader& memory, const ObjectLayout& layout,
                                     model::RemoteAddress address);

/// The content of a bytes object of at most `max_bytes`; none for a longer one.
std::optional<std::vector<std::byte>> read_bytes(model::MemoryReader& memory, const ObjectLayout& layout,
                                                 model::RemoteAddress address, std::size_t max_bytes);

/// tp_name of a type object, at most 100 bytes.
std::optional<std::string> read_type_name(model::MemoryReader& memory, const ObjectLayout& layout,
                                          model::RemoteAddress type);

/// ob_type of an object; null if it cannot be read.
model::RemoteAddress read_type(model::MemoryReader& memory, const ObjectLayout& layout, model::RemoteAddress object);

/// Appends a code point as UTF-8; U+FFFD for what is none.
void append_utf8(std::string& text, std::uint32_t code_point);

}  // namespace hangstack::symbolizer
