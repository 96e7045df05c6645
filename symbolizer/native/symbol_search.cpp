#include "symbolizer/native/symbol_search.h"

#include <elf.h>
#include <gelf.h>
#include <libelf.h>

#include <algorithm>
#include <cstring>
#include <tuple>
#include <vector>

namespace hangstack::symbolizer {

namespace {

/// The two sections behind a table. Both views are valid as long as the ElfFile.
struct TableView {
  std::span<const Elf64_Sym> symbols;
  std::string_view strings;

  [[nodiscard]] std::string_view name_of(const Elf64_Sym& symbol) const {
    if (symbol.st_name >= strings.size()) return {};
    const std::string_view rest = strings.substr(symbol.st_name);
    const auto end = rest.find('\0');
    return end == std::string_view::npos ? std::string_view{} : rest.substr(0, end);
  }
};

std::optional<TableView> view_of(const ElfFile& file, SymbolTable table) {
  const auto type = table == SymbolTable::symtab ? SHT_SYMTAB : SHT_DYNSYM;
  Elf* elf = file.handle();
  for (Elf_Scn* scn = elf_nextscn(elf, nullptr); scn != nullptr; scn = elf_nextscn(elf, scn)) {
    GElf_Shdr header{};
    if (gelf_getshdr(scn, &header) == nullptr || header.sh_type != static_cast<GElf_Word>(type)) continue;
    Elf_Data* symbols = elf_getdata(scn, nullptr);
    Elf_Data* strings = elf_getdata(elf_getscn(elf, header.sh_link), nullptr);
    if (symbols == nullptr || strings == nullptr || symbols->d_buf == nullptr || strings->d_buf == nullptr) continue;
    return TableView{{static_cast<const Elf64_Sym*>(symbols->d_buf), symbols->d_size / sizeof(Elf64_Sym)},
                     {static_cast<const char*>(strings->d_buf), strings->d_size}};
  }
  return std::nullopt;
}

bool is_defined(const Elf64_Sym& s) { return s.st_shndx != SHN_UNDEF; }

bool is_function(const Elf64_Sym& s) {
  const auto type = ELF64_ST_TYPE(s.st_info);
  return is_defined(s) && s.st_shndx != SHN_ABS && (type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE);
}

/// Less is better: 0 for names that programs use, more for aliases that libraries keep for themselves.
int reservedness(std::string_view name) {
  if (name.starts_with("_Z")) return 0;
  if (name.starts_with("__GI_")) return 9;
  if (name.starts_with(".")) return 8;
  return static_cast<int>(std::min<std::size_t>(name.find_first_not_of('_'), 7));
}

int weakness(const Elf64_Sym& s) {
  switch (ELF64_ST_BIND(s.st_info)) {
    case STB_GLOBAL:
    case STB_GNU_UNIQUE: return 0;
    case STB_WEAK: return 1;
    default: return 2;
  }
}

/// The best symbol so far for one address.
struct Candidate {
  const Elf64_Sym* symbol = nullptr;
  std::string_view name;

  [[nodiscard]] bool better_than(const Candidate& other) const {
    if (other.symbol == nullptr) return true;
    if (symbol->st_value != other.symbol->st_value) return symbol->st_value > other.symbol->st_value;
    const auto key = [](const Candidate& c) {
      return std::tuple(c.symbol->st_size == 0, weakness(*c.symbol) == 2, reservedness(c.name), weakness(*c.symbol),
                        c.name);
    };
    return key(*this) < key(other);
  }
};

}  // namespace

std::optional<SymbolPlace> find_by_name(const ElfFile& file, SymbolTable table, std::string_view name) {
  const auto view = view_of(file, table);
  if (!view || name.empty()) return std::nullopt;
  for (const Elf64_Sym& s : view->symbols) {
    if (!is_defined(s) || s.st_name >= view->strings.size()) continue;
    const std::string_view rest = view->strings.substr(s.st_name);
    if (!rest.starts_with(name) || rest.size() == name.size()) continue;
    const char after = rest[name.size()];
    if (after == '\0' || (after == '@' && table == SymbolTable::symtab)) {
      return SymbolPlace{model::ModuleAddress{s.st_value}, s.st_size};
    }
  }
  return std::nullopt;
}

std::map<std::string, SymbolPlace> find_objects(const ElfFile& file, std::span<const std::string_view> names) {
  std::map<std::string, SymbolPlace> found;
  const auto view = view_of(file, SymbolTable::symtab);
  if (!view) return found;
  for (const Elf64_Sym& s : view->symbols) {
    if (ELF64_ST_TYPE(s.st_info) != STT_OBJECT || !is_defined(s)) continue;
    const std::string_view name = view->name_of(s);
    if (std::ranges::find(names, name) != names.end())
      found.try_emplace(std::string(name), SymbolPlace{model::ModuleAddress{s.st_value}, s.st_size});
  }
  return found;
}

std::string symbol_of_slot(const ElfFile& file, model::ModuleAddress slot) {
  Elf* elf = file.handle();
  for (Elf_Scn* scn = elf_nextscn(elf, nullptr); scn != nullptr; scn = elf_nextscn(elf, scn)) {
    GElf_Shdr header{};
    if (gelf_getshdr(scn, &header) == nullptr || header.sh_type != SHT_RELA || (header.sh_flags & SHF_ALLOC) == 0) {
      continue;
    }
    const Elf_Data* data = elf_getdata(scn, nullptr);
    if (data == nullptr || data->d_buf == nullptr) continue;
    const std::span relocations(static_cast<const Elf64_Rela*>(data->d_buf), data->d_size / sizeof(Elf64_Rela));
    const auto found = std::ranges::find(relocations, slot.value, &Elf64_Rela::r_offset);
    if (found == relocations.end()) continue;
    const auto type = ELF64_R_TYPE(found->r_info);
    const auto view = view_of(file, SymbolTable::dynsym);
    const std::size_t index = ELF64_R_SYM(found->r_info);
    if ((type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT) || !view || index >= view->symbols.size()) return {};
    return std::string(view->name_of(view->symbols[index]));
  }
  return {};
}

std::map<model::ModuleAddress, SymbolName> find_by_address(const ElfFile& file, SymbolTable table,
                                                           std::span<const model::ModuleAddress> wanted,
                                                           const FunctionRangeAt& range_at) {
  std::map<model::ModuleAddress, SymbolName> found;
  const auto view = view_of(file, table);
  if (!view || wanted.empty()) return found;
  std::vector<Candidate> best(wanted.size());
  // Symbols without a size, by the first wanted address at or above them: only the nearest can start its FDE.
  std::vector<Candidate> bare(wanted.size());
  for (const Elf64_Sym& s : view->symbols) {
    if (s.st_value > wanted.back().value || !is_function(s)) continue;
    auto at = static_cast<std::size_t>(std::ranges::lower_bound(wanted, s.st_value, {}, &model::ModuleAddress::value) -
                                       wanted.begin());
    const bool sized = s.st_size != 0;
    if (sized && (at == wanted.size() || wanted[at].value - s.st_value >= s.st_size)) continue;
    const Candidate candidate{&s, view->name_of(s)};
    if (candidate.name.empty()) continue;
    if (!sized) {
      if (at < bare.size() && candidate.better_than(bare[at])) bare[at] = candidate;
      continue;
    }
    for (; at < wanted.size() && wanted[at].value - s.st_value < s.st_size; ++at) {
      if (candidate.better_than(best[at])) best[at] = candidate;
    }
  }
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (best[i].symbol == nullptr) {
      const auto range = range_at(wanted[i]);
      for (std::size_t j = i + 1; range && j-- > 0;) {
        if (bare[j].symbol == nullptr) continue;
        if (bare[j].symbol->st_value == range->start.value) best[i] = bare[j];
        break;
      }
    }
    if (best[i].symbol == nullptr) continue;
    found[wanted[i]] = {std::string(best[i].name), model::ModuleAddress{best[i].symbol->st_value},
                        best[i].symbol->st_size};
  }
  return found;
}

}  // namespace hangstack::symbolizer
