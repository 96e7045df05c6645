#pragma once
// Bytes of another process as text.

#include <string>
#include <string_view>

namespace hangstack::symbolizer {

/// `bytes` with U+FFFD for what is not well-formed UTF-8 (model/utf8.h).
std::string valid_utf8(std::string_view bytes);

/// Each byte as one character (U+0000 to U+00FF), for JSON that has to give the same bytes back.
std::string bytes_as_characters(std::string_view bytes);

/// The way back; throws std::invalid_argument for characters above U+00FF.
std::string characters_as_bytes(std::string_view text);

}  // namespace hangstack::symbolizer
