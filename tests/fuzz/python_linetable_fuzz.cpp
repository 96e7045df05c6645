// Line tables of arbitrary bytes, in all three forms.

#include <cstdint>
#include <cstring>
#include <span>

#include "symbolizer/python/line_table.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hangstack::symbolizer;
  if (size < 8) return 0;
  std::int32_t first_line = 0;
  std::int32_t offset = 0;
  std::memcpy(&first_line, data, 4);
  std::memcpy(&offset, data + 4, 4);
  const auto table = std::as_bytes(std::span(data + 8, size - 8));
  for (const LineTableKind kind : {LineTableKind::lnotab, LineTableKind::linetable, LineTableKind::locations}) {
    line_of(kind, table, first_line, offset);
    line_of(kind, table, first_line, offset & 0xfff);
  }
  return 0;
}
