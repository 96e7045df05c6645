#pragma once
// Which function an address lies in, by the frame description entries: libdw gives rows, not the ranges of FDEs.

#include <cstdint>
#include <optional>
#include <vector>

#include "symbolizer/native/elf_file.h"
#include "symbolizer/native/module_facts.h"

namespace hangstack::symbolizer {

/// The layout of a section of frame description entries (LSB 5.0 "Exception Frames"; DWARF 5 section 6.4.1).
enum class FrameSection : std::uint8_t { eh_frame, debug_frame };

class FdeRanges {
 public:
  /// Null: no file, every answer is empty. Borrowed.
  FdeRanges(const ElfFile* file, FrameSection kind) : file_(file), kind_(kind) {}

  std::optional<AddressRange> at(model::ModuleAddress address);

 private:
  struct SearchResult {
    std::optional<AddressRange> range;  ///< of the last entry that begins at or below the address
  };
  /// None: the header has no search table, or one of another encoding than linkers write.
  std::optional<SearchResult> by_header(const AddressRange& header, model::ModuleAddress address) const;
  void read_all();

  const ElfFile* file_;
  FrameSection kind_;
  bool read_ = false;
  std::vector<AddressRange> ranges_;  ///< ascending; only for files without a usable .eh_frame_hdr
};

}  // namespace hangstack::symbolizer
