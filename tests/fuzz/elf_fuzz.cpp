// An ELF file made of arbitrary bytes: sections, symbols, frame description entries, lines and structs. The corpus is
// one small library of our own, with .eh_frame and a search table, and with .debug_frame and compressed line tables;
// and one of a struct.

#include <string_view>
#include <vector>

#include "symbolizer/native/module_source.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hangstack;
  const auto* bytes = reinterpret_cast<const std::byte*>(data);
  auto file = symbolizer::ElfFile::from_image({bytes, bytes + size}, "fuzz");
  if (!file) return 0;
  symbolizer::ModuleSource module(std::move(*file));
  std::vector<model::ModuleAddress> addresses;
  for (const std::uint64_t address : {0x0ULL, 0x2d0ULL, 0x2d8ULL, 0x2e8ULL, 0x1460ULL, ~0ULL})
    addresses.emplace_back(address);
  module.names(addresses);
  for (const model::ModuleAddress address : addresses) {
    module.function_range(address);
    module.row(address);
    module.source(address);
  }
  module.find_symbol("add");
  const std::vector<std::string_view> members{"first", "word", "inner.b", "pointer.a", "bit", "text"};
  module.find_struct("Searched", members);
  return 0;
}
