#include "symbolizer/python/line_table.h"

#include <limits>

namespace hangstack::symbolizer {
namespace {

std::optional<int> checked_line(std::int64_t line) {
  if (line < 0 || line > std::numeric_limits<int>::max()) return std::nullopt;
  return static_cast<int>(line);
}

/// CPython Objects/lnotab_notes.txt of 3.9: pairs of (unsigned address step, signed line step).
std::optional<int> line_in_lnotab(std::span<const std::byte> table, std::int64_t line, std::int64_t offset) {
  std::int64_t address = 0;
  for (std::size_t at = 0; at + 2 <= table.size(); at += 2) {
    address += std::to_integer<std::uint8_t>(table[at]);
    if (address > offset) break;
    line += static_cast<std::int8_t>(std::to_integer<std::uint8_t>(table[at + 1]));
  }
  return checked_line(line);
}

/// CPython Objects/lnotab_notes.txt of 3.10 (PEP 626): pairs of (length in bytes, signed line step; -128: no line).
std::optional<int> line_in_linetable(std::span<const std::byte> table, std::int64_t line, std::int64_t offset) {
  constexpr int kNoLine = -128;
  std::int64_t end = 0;
  for (std::size_t at = 0; at + 2 <= table.size(); at += 2) {
    end += std::to_integer<std::uint8_t>(table[at]);
    const int step = (std::to_integer<int>(table[at + 1]) ^ 0x80) - 0x80;  // the byte is signed
    if (step != kNoLine) line += step;
    if (offset < end) return step == kNoLine ? std::nullopt : checked_line(line);
  }
  return std::nullopt;
}

/// Walks the bytes of a location table (CPython Objects/locations.md of 3.11).
class LocationBytes {
 public:
  explicit LocationBytes(std::span<const std::byte> table) : table_(table) {}

  [[nodiscard]] bool at_end() const { return at_ >= table_.size(); }
  std::uint8_t next() { return at_end() ? std::uint8_t{0} : std::to_integer<std::uint8_t>(table_[at_++]); }

  /// Six bits a byte, least significant first, bit 6 says that more follow; the sign is in the lowest bit.
  std::int64_t next_signed() {
    std::uint64_t value = 0;
    unsigned shift = 0;
    std::uint8_t byte = 0;
    do {
      byte = next();
      if (shift < 60) value |= static_cast<std::uint64_t>(byte & 0x3fU) << shift;
      shift += 6;
    } while ((byte & 0x40U) != 0);
    const auto magnitude = static_cast<std::int64_t>(value >> 1U);
    return (value & 1U) != 0 ? -magnitude : magnitude;
  }

  /// The first byte of an entry has bit 7 set, the others have not.
  void skip_to_entry() {
    while (!at_end() && (std::to_integer<std::uint8_t>(table_[at_]) & 0x80U) == 0) ++at_;
  }

 private:
  std::span<const std::byte> table_;
  std::size_t at_ = 0;
};

std::optional<int> line_in_locations(std::span<const std::byte> table, std::int64_t line, std::int64_t offset) {
  constexpr unsigned kOneLine0 = 10;
  constexpr unsigned kOneLine2 = 12;
  constexpr unsigned kNoColumns = 13;
  constexpr unsigned kLong = 14;
  constexpr unsigned kNone = 15;
  constexpr std::int64_t kUnitBytes = 2;
  LocationBytes bytes(table);
  std::int64_t end = 0;
  bytes.skip_to_entry();
  while (!bytes.at_end()) {
    const std::uint8_t first = bytes.next();
    const unsigned code = (first >> 3U) & 15U;
    end += ((first & 7U) + 1) * kUnitBytes;
    if (code >= kOneLine0 && code <= kOneLine2) line += code - kOneLine0;
    if (code == kNoColumns || code == kLong) {
      line += bytes.next_signed();
      // No table of a real function comes near this; the sum must not overflow.
      if (line > std::numeric_limits<int>::max() || line < -std::numeric_limits<int>::max()) return std::nullopt;
    }
    if (offset < end) return code == kNone ? std::nullopt : checked_line(line);
    bytes.skip_to_entry();
  }
  return std::nullopt;
}

}  // namespace

std::optional<int> line_of(LineTableKind kind, std::span<const std::byte> table, int first_line,
                           std::int64_t byte_offset) {
  if (byte_offset < 0) return checked_line(first_line);
  switch (kind) {
    case LineTableKind::lnotab: return line_in_lnotab(table, first_line, byte_offset);
    case LineTableKind::linetable: return line_in_linetable(table, first_line, byte_offset);
    case LineTableKind::locations: return line_in_locations(table, first_line, byte_offset);
  }
  return std::nullopt;
}

}  // namespace hangstack::symbolizer
