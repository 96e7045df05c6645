#pragma once
// Text files as other programs leave them, as plain lines.

#include <string>
#include <string_view>

namespace hangstack::ingest {

/// `bytes` as UTF-8 with '\n' behind each line: UTF-16 (by its byte order mark) is translated, a byte order mark, the
/// '\r' before a '\n' and a terminal's colours are taken off. Other bytes stay as they are, valid UTF-8 or not. Line
/// numbers are the same as before.
std::string as_lines(std::string_view bytes);

/// Without the colours of a terminal, ESC [ ... m.
std::string without_colours(std::string_view text);

}  // namespace hangstack::ingest
