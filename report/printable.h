#pragma once
// Bytes of targets and files as text that is safe to show and to measure.

#include <cstddef>
#include <string>
#include <string_view>

namespace hangstack::report {

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
