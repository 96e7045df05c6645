#pragma once
// Call frame information of one ELF file, read by libdw.

#include <functional>
#include <optional>

#include "symbolizer/native/call_frame_row.h"
#include "symbolizer/native/elf_file.h"
#include "symbolizer/native/fde_ranges.h"

struct Dwarf;
struct Dwarf_CFI_s;

namespace hangstack::symbolizer {

class CallFrames {
 public:
  /// `separate` gives the separate debug file or null; it is asked only where .eh_frame says nothing. Both borrowed.
  CallFrames(const ElfFile& file, std::function<const ElfFile*()> separate);
  ~CallFrames();
  CallFrames(const CallFrames&) = delete;
  CallFrames& operator=(const CallFrames&) = delete;

  /// From .eh_frame, else .debug_frame of the file, else .debug_frame of its separate debug file.
  std::optional<CallFrameRow> row(model::ModuleAddress address);
  std::optional<AddressRange> function_range(model::ModuleAddress address);

 private:
  void open_debug_frames();

  const ElfFile& file_;
  std::function<const ElfFile*()> separate_;
  Dwarf_CFI_s* eh_frame_ = nullptr;     ///< owned
  Dwarf* dwarf_ = nullptr;              ///< owned; of the file with .debug_frame
  Dwarf_CFI_s* debug_frame_ = nullptr;  ///< owned by dwarf_
  bool looked_for_debug_frame_ = false;
  FdeRanges eh_ranges_;
  FdeRanges debug_ranges_;
};

}  // namespace hangstack::symbolizer
