#pragma once
// Pieces of a line of text.

#include <cstddef>
#include <string>
#include <string_view>

namespace hangstack::ingest {

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Takes the next line off `text`: without its end, which may be missing. A view of `text`.
std::string_view take_line(std::string_view& text);

/// Without any of `blanks` at either end. A view of `text`.
std::string_view trimmed(std::string_view text, std::string_view blanks = " \t\r");

/// What stands between the first `open` and the first `close` behind it; empty if either is not there. A view of
/// `text`.
std::string_view between(std::string_view text, std::string_view open, std::string_view close);

/// Of a function or a file; what is longer is cut.
inline constexpr std::size_t kMostNameBytes = 16'384;

/// As UTF-8, without control characters, and no longer than kMostNameBytes.
std::string printable_name(std::string_view text);

/// The decimal or 0x number that `text` begins with, if it fits.
long long leading_number(std::string_view text);

}  // namespace hangstack::ingest
