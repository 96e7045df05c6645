#include "symbolizer/native/source_lines.h"

#include <dwarf.h>
#include <elfutils/libdw.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>

namespace hangstack::symbolizer {

namespace {

constexpr std::chrono::seconds kMaxTime{2};
constexpr std::size_t kMaxUnits = 200'000;
constexpr std::size_t kMaxRanges = 2'000'000;
constexpr std::size_t kMaxLevels = 64;

std::string text_of(const char* text) { return text == nullptr ? std::string{} : std::string(text); }

std::string function_name(Dwarf_Die* die) {
  Dwarf_Attribute attribute;
  for (const unsigned name : {DW_AT_linkage_name, DW_AT_MIPS_linkage_name, DW_AT_name}) {
    if (dwarf_attr_integrate(die, name, &attribute) != nullptr) {
      if (const char* text = dwarf_formstring(&attribute)) return text;
    }
  }
  return {};
}

std::uint64_t number_of(Dwarf_Die* die, unsigned name) {
  Dwarf_Attribute attribute;
  Dwarf_Word value = 0;
  if (dwarf_attr(die, name, &attribute) == nullptr || dwarf_formudata(&attribute, &value) != 0) return 0;
  return value;
}

std::string file_name(Dwarf_Die* unit, std::uint64_t index) {
  Dwarf_Files* files = nullptr;
  std::size_t count = 0;
  if (dwarf_getsrcfiles(unit, &files, &count) != 0 || index >= count) return {};
  return text_of(dwarf_filesrc(files, index, nullptr, nullptr));
}

int line_number(std::uint64_t value) { return value <= 0x7fffffff ? static_cast<int>(value) : 0; }

struct Scopes {
  std::unique_ptr<Dwarf_Die, decltype(&std::free)> dies{nullptr, &std::free};
  int count = 0;
};

/// The DIEs around an address, innermost first. dwarf_getscopes leaves the concrete function at the first inlined one
/// and goes on with where that was written, so that only its innermost DIE is taken, and the DIEs around that one.
Scopes scopes_at(Dwarf_Die* unit, std::uint64_t address) {
  Scopes scopes;
  Dwarf_Die* innermost = nullptr;
  if (dwarf_getscopes(unit, address, &innermost) <= 0) return scopes;
  const std::unique_ptr<Dwarf_Die, decltype(&std::free)> owner(innermost, &std::free);
  Dwarf_Die* around = nullptr;
  scopes.count = dwarf_getscopes_die(innermost, &around);
  scopes.dies.reset(around);
  return scopes;
}

/// From the innermost scope outwards: each inlined call hands its call site to the level around it.
std::vector<SourceLevel> levels_at(Dwarf_Die* unit, std::uint64_t address) {
  SourceLevel position;
  if (Dwarf_Line* line = dwarf_getsrc_die(unit, address)) {
    position.file = text_of(dwarf_linesrc(line, nullptr, nullptr));
    int number = 0;
    if (dwarf_lineno(line, &number) == 0) position.line = number;
  }
  std::vector<SourceLevel> levels;
  const Scopes scopes = scopes_at(unit, address);
  for (int i = 0; i < scopes.count && levels.size() < kMaxLevels; ++i) {
    Dwarf_Die* scope = &scopes.dies.get()[i];
    const int tag = dwarf_tag(scope);
    if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram) continue;
    position.function = function_name(scope);
    levels.push_back(position);
    if (tag == DW_TAG_subprogram) return levels;
    position = {"", file_name(unit, number_of(scope, DW_AT_call_file)), line_number(number_of(scope, DW_AT_call_line))};
  }
  if (levels.empty() && position.line != 0) levels.push_back(position);
  return levels;
}

}  // namespace

SourceLines::SourceLines(const ElfFile* file)
    : dwarf_(file == nullptr ? nullptr : dwarf_begin_elf(file->handle(), DWARF_C_READ, nullptr)) {}

SourceLines::~SourceLines() {
  if (dwarf_ != nullptr) dwarf_end(dwarf_);
}

void SourceLines::list_units() {
  if (listed_) return;
  listed_ = true;
  const auto begin = std::chrono::steady_clock::now();
  Dwarf_Off offset = 0;
  Dwarf_Off next = 0;
  std::size_t header_size = 0;
  for (std::size_t n = 0; n < kMaxUnits && units_.size() < kMaxRanges; ++n, offset = next) {
    if (dwarf_nextcu(dwarf_, offset, &next, &header_size, nullptr, nullptr, nullptr) != 0 || next <= offset) break;
    if (std::chrono::steady_clock::now() - begin > kMaxTime) break;
    Dwarf_Die unit;
    if (dwarf_offdie(dwarf_, offset + header_size, &unit) == nullptr) continue;
    Dwarf_Addr base = 0;
    Dwarf_Addr start = 0;
    Dwarf_Addr end = 0;
    for (ptrdiff_t at = 0; units_.size() < kMaxRanges && (at = dwarf_ranges(&unit, at, &base, &start, &end)) > 0;) {
      units_.push_back({start, end, offset + header_size});
    }
  }
  std::ranges::sort(units_, {}, &UnitRange::start);
}

std::optional<std::uint64_t> SourceLines::unit_at(model::ModuleAddress address) {
  Dwarf_Die unit;
  if (dwarf_addrdie(dwarf_, address.value, &unit) != nullptr) return dwarf_dieoffset(&unit);
  // clang writes no .debug_aranges.
  list_units();
  auto next = std::ranges::upper_bound(units_, address.value, {}, &UnitRange::start);
  if (next == units_.begin() || std::prev(next)->end <= address.value) return std::nullopt;
  return std::prev(next)->unit;
}

std::vector<SourceLevel> SourceLines::at(model::ModuleAddress address) {
  if (dwarf_ == nullptr || spent_ > kMaxTime) return {};
  const auto begin = std::chrono::steady_clock::now();
  std::vector<SourceLevel> levels;
  Dwarf_Die unit;
  if (const auto offset = unit_at(address); offset && dwarf_offdie(dwarf_, *offset, &unit) != nullptr) {
    levels = levels_at(&unit, address.value);
  }
  spent_ += std::chrono::steady_clock::now() - begin;
  return levels;
}

}  // namespace hangstack::symbolizer
