#pragma once
// Bytes of targets and files as text that is safe to show and to measure.

#include <cstddef>
#include <string>
#include <string_view>

namespace hangstack::report {

inline constexpr char32_t kReplacement = 0xFFFD;  ///< stands for bytes that are not UTF-8

struct CodePoint {
  char32_t value = kReplacement;
  std::size_t length = 1;  ///< bytes it took; at least 1
  bool valid = false;      ///< false: `value` is kReplacement and `length` bytes are no UTF-8
};

/// The code point at `at` < text.size(). An invalid sequence takes as many bytes as its longest valid beginning
/// (Unicode 15, section 3.9, "maximal subpart"), so that every reader counts the same replacements.
CodePoint decode_at(std::string_view text, std::size_t at);

/// Characters that steer a terminal or change the order or presence of others: C0 and C1 controls, bidirectional
/// controls, invisible joiners, line separators, tags.
bool is_unsafe(char32_t point);

/// Columns on a terminal: 0 for combining marks, 2 for East Asian wide and emoji, else 1.
int column_width(char32_t point);

/// Safe to show: unsafe characters as `\x1b`, `\n` or `\u{202e}`, invalid bytes replaced. Text that is safe comes
/// back unchanged.
std::string printable(std::string_view text);

/// Columns that `text`, which must be printable, takes.
int columns(std::string_view text);

}  // namespace hangstack::report
