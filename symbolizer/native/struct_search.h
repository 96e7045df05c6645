#pragma once
// Where the members of a struct lie, by DWARF.

#include <optional>
#include <span>
#include <string_view>

#include "symbolizer/native/elf_file.h"
#include "symbolizer/native/module_facts.h"

namespace hangstack::symbolizer {

/// Of the struct `name` of the global namespace; `members` by name, "outer.inner" for one of a member's own struct.
/// Members of unnamed structs and unions count as the struct's own; bit fields are left out. None without DWARF,
/// without such a struct, or when finding it takes more than a second.
std::optional<StructMembers> find_struct(const ElfFile& file, std::string_view name,
                                         std::span<const std::string_view> members);

}  // namespace hangstack::symbolizer
