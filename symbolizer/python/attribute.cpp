#include "symbolizer/python/attribute.h"

#include "symbolizer/python/dict.h"
#include "symbolizer/python/objects.h"
#include "symbolizer/remote_struct.h"

namespace hangstack::symbolizer {
namespace {

using model::MemoryReader;
using model::RemoteAddress;

// CPython Include/object.h.
constexpr std::uint64_t kInlineValues = 1U << 2U;  // Py_TPFLAGS_INLINE_VALUES (3.13 on)
constexpr std::uint64_t kManagedDict = 1U << 4U;   // Py_TPFLAGS_MANAGED_DICT (3.11 on)

// Words in front of an object with a managed dict (Include/internal/pycore_object.h).
constexpr std::uint64_t kDictBefore = 24;
constexpr std::uint64_t kValuesBefore = 32;  // 3.11 only

std::uint64_t word_at(MemoryReader& memory, std::uint64_t address) {
  return memory.read<std::uint64_t>(RemoteAddress{address}).value_or(0);
}

/// An object's attributes: a dict, or values whose keys its type has.
struct Attributes {
  std::uint64_t dict = 0;
  std::uint64_t values = 0;
};

Attributes attributes_since_3_13(MemoryReader& memory, std::uint64_t object, std::uint64_t basic_size,
                                 std::uint64_t flags) {
  constexpr std::uint64_t kValid = 3;  // struct _dictvalues: capacity, size, embedded, valid, values
  constexpr std::uint64_t kValues = 8;
  Attributes found{word_at(memory, object - kDictBefore), 0};
  if (found.dict != 0 || (flags & kInlineValues) == 0) return found;
  const std::uint64_t inline_values = object + basic_size;
  if (memory.read<std::uint8_t>(RemoteAddress{inline_values + kValid}).value_or(0) == 1) {
    found.values = inline_values + kValues;
  }
  return found;
}

}  // namespace

std::uint64_t attribute_value(MemoryReader& memory, const Layout& layout, RemoteAddress object, std::string_view name) {
  if (layout.free_threaded || !object) return 0;
  const ObjectLayout& l = layout.object;
  const auto type = RemoteStruct::read(memory, read_type(memory, l, object), l.type_dict_offset + 8);
  if (!type) return 0;
  const std::uint64_t flags = type->u64(l.type_flags);
  Attributes found;
  if (layout.minor <= 10) {
    const std::uint64_t offset = type->u64(l.type_dict_offset);
    if (offset != 0 && offset < 4096) found.dict = word_at(memory, object.value + offset);
  } else if ((flags & kManagedDict) == 0) {
    return 0;
  } else if (layout.minor == 11) {
    found.values = word_at(memory, object.value - kValuesBefore);
    if (found.values == 0) found.dict = word_at(memory, object.value - kDictBefore);
  } else if (layout.minor == 12) {
    const std::uint64_t either = word_at(memory, object.value - kDictBefore);
    if ((either & 1U) != 0) {
      found.values = either + 1;  // PyDictOrValues: one less than the address
    } else {
      found.dict = either;
    }
  } else {
    found = attributes_since_3_13(memory, object.value, type->u64(l.type_basic_size), flags);
  }
  if (found.dict != 0) return dict_value(memory, layout, RemoteAddress{found.dict}, name);
  if (found.values == 0) return 0;
  const std::uint64_t keys = word_at(memory, read_type(memory, l, object).value + l.type_cached_keys);
  return shared_key_value(memory, layout, RemoteAddress{keys}, RemoteAddress{found.values}, name);
}

}  // namespace hangstack::symbolizer
