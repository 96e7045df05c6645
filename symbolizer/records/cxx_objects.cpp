#include "symbolizer/records/cxx_objects.h"

#include <algorithm>
#include <cstring>
#include <set>

namespace hangstack::symbolizer {
namespace {

using model::MemoryReader;
using model::RemoteAddress;

constexpr std::uint64_t kMaxVectorBytes = 1UL << 20;
constexpr std::uint32_t kMaxDimensions = 1U << 18;
constexpr std::uint64_t kShortStringRoom = 16;

// libstdc++ bits/stl_tree.h: the header node of a tree lies behind its comparison; pairs lie behind the node's links.
constexpr std::uint64_t kTreeHeader = 8;
constexpr std::uint64_t kNodeParent = 8;
constexpr std::uint64_t kNodeLeft = 16;
constexpr std::uint64_t kNodeRight = 24;
constexpr std::uint64_t kNodeBytes = 32;
constexpr std::size_t kMaxDepth = 64;  // red-black: more than 2^32 nodes
// libstdc++ bits/hashtable.h: buckets, number of buckets, first node.
constexpr std::uint64_t kHashMapFirst = 16;

bool is_name(const std::string& text) {
  return std::ranges::none_of(text, [](char c) { return static_cast<unsigned char>(c) < ' '; });
}

std::optional<std::uint64_t> word(MemoryReader& memory, std::uint64_t address) {
  const auto value = memory.read<std::uint64_t>(RemoteAddress{address});
  return value ? std::optional(*value) : std::nullopt;
}

/// libstdc++ bits/cow_string.h: _Rep {length, capacity, references} lies in front of the characters.
std::optional<std::string> read_shared_string(MemoryReader& memory, RemoteAddress data) {
  constexpr std::uint64_t kRepBytes = 24;
  if (data.value < kRepBytes) return std::nullopt;
  const auto rep = RemoteStruct::read(memory, RemoteAddress{data.value - kRepBytes}, kRepBytes);
  if (!rep || rep->u64(0) > kMaxNameLength || rep->u64(8) < rep->u64(0)) return std::nullopt;
  std::string text(rep->u64(0), '\0');
  if (!memory.read_exact(data, std::as_writable_bytes(std::span(text)))) return std::nullopt;
  return is_name(text) ? std::optional(std::move(text)) : std::nullopt;
}

}  // namespace

std::optional<std::string> read_string(MemoryReader& memory, const CxxStruct& in, std::uint64_t offset,
                                       std::size_t string_bytes) {
  const RemoteAddress data{in.bytes.u64(offset)};
  if (string_bytes == sizeof(std::uint64_t)) return read_shared_string(memory, data);
  const std::uint64_t size = in.bytes.u64(offset + 8);
  const bool is_short = data == in.address + (offset + 16);
  if (size > kMaxNameLength || (is_short && size >= kShortStringRoom)) return std::nullopt;
  std::string text(size, '\0');
  if (!memory.read_exact(data, std::as_writable_bytes(std::span(text)))) return std::nullopt;
  return is_name(text) ? std::optional(std::move(text)) : std::nullopt;
}

std::optional<std::vector<std::byte>> read_vector(MemoryReader& memory, const CxxStruct& in, std::uint64_t offset,
                                                  std::size_t element_bytes, std::size_t most) {
  const std::uint64_t begin = in.bytes.u64(offset);
  const std::uint64_t end = in.bytes.u64(offset + 8);
  if (end < begin || in.bytes.u64(offset + 16) < end) return std::nullopt;
  const std::uint64_t size = end - begin;
  if (size % element_bytes != 0 || size / element_bytes > most || size > kMaxVectorBytes) return std::nullopt;
  std::vector<std::byte> bytes(size);
  if (size > 0 && !memory.read_exact(RemoteAddress{begin}, bytes)) return std::nullopt;
  return bytes;
}

std::optional<std::vector<std::int64_t>> read_small_vector(MemoryReader& memory, const CxxStruct& in,
                                                           std::uint64_t offset, std::size_t element_bytes) {
  const std::uint32_t size = in.bytes.u32(offset + 8);
  if (size > kMaxDimensions || in.bytes.u32(offset + 12) < size) return std::nullopt;
  const RemoteAddress begin{in.bytes.u64(offset)};
  if (element_bytes == sizeof(std::int32_t)) {
    std::vector<std::int32_t> narrow(size);
    if (size > 0 && !memory.read_exact(begin, std::as_writable_bytes(std::span(narrow)))) return std::nullopt;
    return std::vector<std::int64_t>(narrow.begin(), narrow.end());
  }
  std::vector<std::int64_t> values(size);
  if (size > 0 && !memory.read_exact(begin, std::as_writable_bytes(std::span(values)))) return std::nullopt;
  return values;
}

std::vector<CxxStruct> read_map(MemoryReader& memory, RemoteAddress map, std::size_t value_bytes, std::size_t most) {
  std::vector<CxxStruct> values;
  const auto root = word(memory, map.value + kTreeHeader + kNodeParent);
  if (!root) return values;
  // In order, without recursion: `path` holds the nodes whose right side is still to come.
  std::vector<std::uint64_t> path;
  std::set<std::uint64_t> seen;
  std::uint64_t node = *root;
  while (values.size() < most) {
    while (node != 0 && path.size() < kMaxDepth && seen.insert(node).second) {
      path.push_back(node);
      node = word(memory, node + kNodeLeft).value_or(0);
    }
    if (path.empty()) return values;
    node = path.back();
    path.pop_back();
    auto value = RemoteStruct::read(memory, RemoteAddress{node + kNodeBytes}, value_bytes);
    if (!value) return values;
    values.push_back({RemoteAddress{node + kNodeBytes}, std::move(*value)});
    node = word(memory, node + kNodeRight).value_or(0);
  }
  return values;
}

std::vector<CxxStruct> read_hash_map(MemoryReader& memory, RemoteAddress map, std::size_t value_bytes,
                                     std::size_t most) {
  std::vector<CxxStruct> values;
  std::set<std::uint64_t> seen;
  std::uint64_t node = word(memory, map.value + kHashMapFirst).value_or(0);
  while (node != 0 && values.size() < most && seen.insert(node).second) {
    auto value = RemoteStruct::read(memory, RemoteAddress{node + 8}, value_bytes);
    if (!value) return values;
    values.push_back({RemoteAddress{node + 8}, std::move(*value)});
    node = word(memory, node).value_or(0);
  }
  return values;
}

}  // namespace hangstack::symbolizer
