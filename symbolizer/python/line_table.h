#pragma once
// Instruction -> line, in the three forms that code objects have had. Bytes are hostile: no table makes these read
// beyond it or loop for long.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "symbolizer/python/layout.h"

namespace hangstack::symbolizer {

/// Tables above this size are not read (a function of 5000 lines has about 100 KiB).
inline constexpr std::size_t kMaxLineTable = 4UL * 1024 * 1024;

/// The line of the instruction at `byte_offset` into the code (negative: before the first one, which gives
/// `first_line`). None if the table has no line for it or ends before it.
std::optional<int> line_of(LineTableKind kind, std::span<const std::byte> table, int first_line,
                           std::int64_t byte_offset);

}  // namespace hangstack::symbolizer
