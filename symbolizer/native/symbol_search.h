#pragma once
// Symbol tables, read in one linear pass for all that is wanted: sorting hundreds of thousands of symbols costs more.

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "model/address.h"
#include "symbolizer/native/elf_file.h"
#include "symbolizer/native/module_facts.h"

namespace hangstack::symbolizer {

/// Which of the two tables of a file.
enum class SymbolTable : std::uint8_t { symtab, dynsym };

/// A defined symbol by its exact name; in .symtab a version suffix ("memcpy@@GLIBC_2.14") is not part of the name.
std::optional<SymbolPlace> find_by_name(const ElfFile& file, SymbolTable table, std::string_view name);

/// Data objects of .symtab by their exact names, all in one pass: only the names of objects are looked at.
std::map<std::string, SymbolPlace> find_objects(const ElfFile& file, std::span<const std::string_view> names);

/// The symbol of the relocation at `slot` (R_X86_64_JUMP_SLOT or R_X86_64_GLOB_DAT), without version; empty if none.
std::string symbol_of_slot(const ElfFile& file, model::ModuleAddress slot);

/// The function that starts at the FDE which covers an address, or none.
using FunctionRangeAt = std::function<std::optional<AddressRange>(model::ModuleAddress)>;

/// For each of `wanted` (ascending, without repetition) that a function symbol covers: that symbol. A symbol of size 0
/// counts only if the FDE at the address (asked of `range_at`) starts at it. Among several, the one that starts nearest
/// below, then exported before local, then public names before reserved ones, then global before weak.
std::map<model::ModuleAddress, SymbolName> find_by_address(const ElfFile& file, SymbolTable table,
                                                           std::span<const model::ModuleAddress> wanted,
                                                           const FunctionRangeAt& range_at);

}  // namespace hangstack::symbolizer
