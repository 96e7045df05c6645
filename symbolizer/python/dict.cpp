#include "symbolizer/python/dict.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "symbolizer/python/objects.h"
#include "symbolizer/remote_struct.h"

namespace hangstack::symbolizer {
namespace {

using model::MemoryReader;
using model::RemoteAddress;

/// A PyDictKeysObject (CPython Objects/dict-common.h to 3.10, Include/internal/pycore_dict.h from 3.11 on).
struct DictKeys {
  std::uint64_t entries = 0;  ///< address of the first entry
  std::uint64_t count = 0;
  std::uint64_t entry_bytes = 24;
  std::uint64_t key_offset = 8;  ///< in an entry; the value follows
};

std::optional<DictKeys> keys_before_3_11(const RemoteStruct& head, std::uint64_t address) {
  constexpr std::uint64_t kIndices = 40;
  const std::uint64_t size = head.u64(8);
  if (size > (1ULL << 32U)) return std::nullopt;
  std::uint64_t index_bytes = 4;
  if (size <= 0xff) {
    index_bytes = 1;
  } else if (size <= 0xffff) {
    index_bytes = 2;
  }
  return DictKeys{address + kIndices + size * index_bytes, head.u64(32), 24, 8};
}

std::optional<DictKeys> keys_since_3_11(const RemoteStruct& head, std::uint64_t address) {
  constexpr std::uint64_t kIndices = 32;
  constexpr std::uint8_t kGeneral = 0;
  const std::uint8_t log2_index_bytes = head.u8(9);
  if (log2_index_bytes > 34) return std::nullopt;
  DictKeys keys{address + kIndices + (1ULL << log2_index_bytes), head.u64(24), 24, 8};
  if (head.u8(10) != kGeneral) {  // str keys only: entries without a hash
    keys.entry_bytes = 16;
    keys.key_offset = 0;
  }
  return keys;
}

bool is_text(MemoryReader& memory, const Layout& layout, std::uint64_t object, std::string_view text) {
  // The length settles most of them with one short read.
  const auto head = RemoteStruct::read(memory, RemoteAddress{object}, layout.object.text_length + 8);
  if (!head || head->u64(layout.object.text_length) != text.size()) return false;
  return read_text(memory, layout.object, RemoteAddress{object}) == std::string(text);
}

/// `values`: a split table's array; 0 for a table that holds its values itself.
std::uint64_t value_of_key(MemoryReader& memory, const Layout& layout, std::uint64_t address, std::uint64_t values,
                           std::string_view key) {
  const auto head = RemoteStruct::read(memory, RemoteAddress{address}, 40);
  if (!head) return 0;
  const auto keys = layout.minor >= 11 ? keys_since_3_11(*head, address) : keys_before_3_11(*head, address);
  if (!keys) return 0;
  constexpr std::uint64_t kEntriesPerRead = 512;
  const std::uint64_t count = std::min<std::uint64_t>(keys->count, kMaxDictEntries);
  for (std::uint64_t first = 0; first < count; first += kEntriesPerRead) {
    const std::uint64_t some = std::min(kEntriesPerRead, count - first);
    const auto entries =
        RemoteStruct::read(memory, RemoteAddress{keys->entries + first * keys->entry_bytes}, some * keys->entry_bytes);
    if (!entries) return 0;
    for (std::uint64_t i = 0; i < some; ++i) {
      const std::uint64_t name = entries->u64(i * keys->entry_bytes + keys->key_offset);
      if (name == 0 || !is_text(memory, layout, name, key)) continue;
      if (values == 0) return entries->u64(i * keys->entry_bytes + keys->key_offset + 8);
      return memory.read<std::uint64_t>(RemoteAddress{values + (first + i) * 8}).value_or(0);
    }
  }
  return 0;
}

}  // namespace

std::optional<std::int64_t> read_small_int(MemoryReader& memory, const Layout& layout, RemoteAddress object) {
  const std::uint64_t head_bytes = layout.object.type + 8;
  const auto data = RemoteStruct::read(memory, object, head_bytes + 16);
  if (!data) return std::nullopt;
  std::uint64_t digits = 0;
  bool negative = false;
  if (layout.minor >= 12) {  // lv_tag: sign in two bits, then the number of digits from bit 3 on
    const std::uint64_t tag = data->u64(head_bytes);
    digits = tag >> 3U;
    negative = (tag & 3U) == 2;
  } else {
    const auto size = static_cast<std::int64_t>(data->u64(head_bytes));
    negative = size < 0;
    digits = negative ? 0 - static_cast<std::uint64_t>(size) : static_cast<std::uint64_t>(size);
  }
  if (digits > 2) return std::nullopt;
  std::int64_t value = 0;
  if (digits > 0) value = data->u32(head_bytes + 8);
  if (digits > 1) value |= static_cast<std::int64_t>(data->u32(head_bytes + 12) & 0x3fffffffU) << 30U;
  return negative ? -value : value;
}

std::uint64_t dict_value(MemoryReader& memory, const Layout& layout, RemoteAddress dict, std::string_view key) {
  const auto object =
      RemoteStruct::read(memory, dict, std::max(layout.object.dict_keys, layout.object.dict_values) + 8);
  if (!object) return 0;
  std::uint64_t values = object->u64(layout.object.dict_values);
  // From 3.13 on, four bytes about the values come first, padded to a word (struct _dictvalues).
  if (values != 0 && layout.minor >= 13) values += 8;
  return value_of_key(memory, layout, object->u64(layout.object.dict_keys), values, key);
}

std::uint64_t shared_key_value(MemoryReader& memory, const Layout& layout, RemoteAddress keys, RemoteAddress values,
                               std::string_view key) {
  return value_of_key(memory, layout, keys.value, values.value, key);
}

}  // namespace hangstack::symbolizer
