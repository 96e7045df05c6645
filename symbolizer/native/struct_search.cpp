#include "symbolizer/native/struct_search.h"

#include <dwarf.h>
#include <elfutils/libdw.h>

#include <chrono>
#include <memory>

namespace hangstack::symbolizer {
namespace {

constexpr std::chrono::seconds kMaxTime{1};
constexpr std::size_t kMaxUnits = 200'000;
constexpr int kMaxNesting = 8;
constexpr std::size_t kMaxMembers = 1'000'000;  // looked at in all: a struct may be forged to contain itself

using Clock = std::chrono::steady_clock;

struct End {
  void operator()(Dwarf* dwarf) const { dwarf_end(dwarf); }
};

bool is_struct(Dwarf_Die* die) {
  const int tag = dwarf_tag(die);
  return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

bool is_named(Dwarf_Die* die, std::string_view name) {
  const char* text = dwarf_diename(die);
  return text != nullptr && name == text;
}

/// The definition of the struct among the outermost DIEs of a unit.
bool find_in_unit(Dwarf_Die* unit, std::string_view name, Clock::time_point until, Dwarf_Die* into) {
  if (dwarf_child(unit, into) != 0) return false;
  for (std::size_t n = 1;; ++n) {
    if (is_struct(into) && is_named(into, name) && dwarf_hasattr(into, DW_AT_declaration) == 0) return true;
    if (n % 1024 == 0 && Clock::now() > until) return false;
    if (dwarf_siblingof(into, into) != 0) return false;
  }
}

std::optional<Dwarf_Die> find_definition(Dwarf* dwarf, std::string_view name) {
  const auto until = Clock::now() + kMaxTime;
  Dwarf_Off offset = 0;
  Dwarf_Off next = 0;
  std::size_t header_size = 0;
  for (std::size_t n = 0; n < kMaxUnits; ++n, offset = next) {
    if (dwarf_nextcu(dwarf, offset, &next, &header_size, nullptr, nullptr, nullptr) != 0 || next <= offset) break;
    Dwarf_Die unit;
    Dwarf_Die found;
    if (dwarf_offdie(dwarf, offset + header_size, &unit) == nullptr) continue;
    if (find_in_unit(&unit, name, until, &found)) return found;
    if (Clock::now() > until) break;
  }
  return std::nullopt;
}

/// The type of a member without typedefs and qualifiers.
bool type_of(Dwarf_Die* member, Dwarf_Die* type) {
  Dwarf_Attribute attribute;
  if (dwarf_attr(member, DW_AT_type, &attribute) == nullptr || dwarf_formref_die(&attribute, type) == nullptr)
    return false;
  return dwarf_peel_type(type, type) == 0;
}

std::optional<std::uint64_t> offset_of(Dwarf_Die* member) {
  Dwarf_Attribute attribute;
  Dwarf_Word offset = 0;
  if (dwarf_attr(member, DW_AT_data_member_location, &attribute) == nullptr) return 0;  // of a union
  if (dwarf_formudata(&attribute, &offset) != 0) return std::nullopt;
  return offset;
}

struct Place {
  std::uint64_t offset = 0;
  Dwarf_Die type{};
};

/// The member `name` of `type`, and of its unnamed members.
std::optional<Place> find_member(Dwarf_Die* type, std::string_view name, int nesting, std::size_t& looked_at) {
  Dwarf_Die member;
  if (nesting > kMaxNesting || dwarf_child(type, &member) != 0) return std::nullopt;
  do {
    if (dwarf_tag(&member) != DW_TAG_member || dwarf_hasattr(&member, DW_AT_data_bit_offset) != 0) continue;
    Place place;
    const auto offset = offset_of(&member);
    if (!offset || !type_of(&member, &place.type)) continue;
    place.offset = *offset;
    if (is_named(&member, name)) return place;
    if (dwarf_diename(&member) != nullptr || !is_struct(&place.type)) continue;
    if (auto inner = find_member(&place.type, name, nesting + 1, looked_at)) {
      inner->offset += place.offset;
      return inner;
    }
  } while (++looked_at < kMaxMembers && dwarf_siblingof(&member, &member) == 0);
  return std::nullopt;
}

std::optional<StructMember> member_at(Dwarf_Die* type, std::string_view path, std::size_t& looked_at) {
  Place place{0, *type};
  for (int nesting = 0; !path.empty() && nesting <= kMaxNesting; ++nesting) {
    const std::size_t dot = path.find('.');
    const auto found = find_member(&place.type, path.substr(0, dot), 0, looked_at);
    if (!found) return std::nullopt;
    place = {place.offset + found->offset, found->type};
    path = dot == std::string_view::npos ? std::string_view{} : path.substr(dot + 1);
  }
  Dwarf_Word size = 0;
  if (dwarf_aggregate_size(&place.type, &size) != 0) return std::nullopt;
  return StructMember{place.offset, size};
}

}  // namespace

std::optional<StructMembers> find_struct(const ElfFile& file, std::string_view name,
                                         std::span<const std::string_view> members) {
  const std::unique_ptr<Dwarf, End> dwarf(dwarf_begin_elf(file.handle(), DWARF_C_READ, nullptr));
  if (!dwarf) return std::nullopt;
  auto definition = find_definition(dwarf.get(), name);
  if (!definition) return std::nullopt;
  StructMembers found;
  std::size_t looked_at = 0;
  for (const std::string_view path : members) {
    if (const auto member = member_at(&*definition, path, looked_at)) found.emplace(path, *member);
  }
  return found;
}

}  // namespace hangstack::symbolizer
