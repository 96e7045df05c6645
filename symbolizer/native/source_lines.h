#pragma once
// Source lines and inlined functions from DWARF, read by libdw one compilation unit at a time.

#include <chrono>
#include <vector>

#include "symbolizer/native/elf_file.h"
#include "symbolizer/native/module_facts.h"

struct Dwarf;

namespace hangstack::symbolizer {

class SourceLines {
 public:
  /// `file` has .debug_info; null: there is none. Borrowed.
  explicit SourceLines(const ElfFile* file);
  ~SourceLines();
  SourceLines(const SourceLines&) = delete;
  SourceLines& operator=(const SourceLines&) = delete;

  /// Innermost inlined function first, the real function last; empty if DWARF does not say. Once the answers for this
  /// file have taken two seconds in all, every further one is empty.
  std::vector<SourceLevel> at(model::ModuleAddress address);

 private:
  struct UnitRange {
    std::uint64_t start;
    std::uint64_t end;
    std::uint64_t unit;  ///< offset of the unit's DIE
  };
  std::optional<std::uint64_t> unit_at(model::ModuleAddress address);
  void list_units();

  Dwarf* dwarf_ = nullptr;
  bool listed_ = false;
  std::vector<UnitRange> units_;  ///< for files without .debug_aranges; ascending by start
  std::chrono::nanoseconds spent_{0};
};

}  // namespace hangstack::symbolizer
