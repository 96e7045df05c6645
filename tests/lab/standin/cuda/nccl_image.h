#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace hangstack::standin {

struct ImageSymbol {
  uintptr_t address = 0;  ///< in this process
  size_t size = 0;        ///< bytes
  bool function = false;
  std::string name;  ///< mangled
};

/// libnccl.so.2 as it is loaded in this process. PyPI's builds keep .symtab, with the local functions too
/// (2.27.3, 2.30.7).
struct NcclImage {
  uintptr_t bias = 0;
  uintptr_t text_begin = 0;  ///< its executable segment, whole pages
  uintptr_t text_end = 0;
  std::vector<ImageSymbol> symbols;  ///< by address

  /// The function that starts at `address`; nullptr when none does.
  const ImageSymbol* function_at(uintptr_t address) const;
  /// nullptr when there is no such symbol.
  const ImageSymbol* named(const char* name) const;
};

/// nullptr until libnccl.so.2 is loaded; from then on the same image.
const NcclImage* nccl_image();

}  // namespace hangstack::standin
