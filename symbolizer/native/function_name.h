#pragma once
// Names as people write them, from symbols as linkers do.

#include <string>
#include <string_view>

namespace hangstack::symbolizer {

/// The normal form of a raw symbol: demangled; without the version ("@@GLIBC_2.3"), without what compilers add to parts
/// and copies of functions (".constprop.0", ".isra.0", ".part.0", ".cold", ".lto_priv.0", ".localalias", ".llvm.123"),
/// and without NCCL's prefix of profiled twins ("pncclX" is ncclX: NCCL src/include/nccl.h, NCCL_API). A symbol longer
/// than 16 KiB is not demangled: hostile ones grow exponentially.
std::string normal_form(std::string_view raw);

}  // namespace hangstack::symbolizer
