#include "symbolizer/python/objects.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#include "symbolizer/remote_struct.h"

namespace hangstack::symbolizer {
namespace {

constexpr std::size_t kMaxTypeName = 100;
constexpr std::uint32_t kReplacement = 0xfffd;

template <typename Unit>
std::string to_utf8(std::span<const std::byte> bytes) {
  std::string text;
  for (std::size_t at = 0; at + sizeof(Unit) <= bytes.size(); at += sizeof(Unit)) {
    Unit unit{};
    std::memcpy(&unit, bytes.data() + at, sizeof unit);
    append_utf8(text, unit);
  }
  return text;
}

}  // namespace

void append_utf8(std::string& text, std::uint32_t c) {
  const auto put = [&text](std::uint32_t byte) { text += static_cast<char>(static_cast<unsigned char>(byte)); };
  if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000)) c = kReplacement;
  if (c < 0x80) {
    put(c);
  } else if (c < 0x800) {
    put(0xc0U | (c >> 6U));
    put(0x80U | (c & 0x3fU));
  } else if (c < 0x10000) {
    put(0xe0U | (c >> 12U));
    put(0x80U | ((c >> 6U) & 0x3fU));
    put(0x80U | (c & 0x3fU));
  } else {
    put(0xf0U | (c >> 18U));
    put(0x80U | ((c >> 12U) & 0x3fU));
    put(0x80U | ((c >> 6U) & 0x3fU));
    put(0x80U | (c & 0x3fU));
  }
}

std::optional<std::string> read_text(model::MemoryReader& memory, const ObjectLayout& layout,
                                     model::RemoteAddress address) {
  const auto head = RemoteStruct::read(memory, address, std::max(layout.text_length + 8, layout.text_state + 4));
  if (!head) return std::nullopt;
  const std::uint32_t state = head->u32(layout.text_state) >> layout.text_kind_bit;
  const std::uint32_t width = state & 7U;
  const bool compact = (state & 8U) != 0;
  const bool ascii = (state & 16U) != 0;
  if (!compact || (width != 1 && width != 2 && width != 4) || (ascii && width != 1)) return std::nullopt;

  const std::uint64_t length = head->u64(layout.text_length);
  if (length >> 48U != 0) return std::nullopt;
  std::vector<std::byte> data(std::min<std::uint64_t>(length, kMaxTextLength) * width);
  if (!memory.read_exact(address + (ascii ? layout.ascii_size : layout.compact_size), data)) return std::nullopt;
  std::string text;
  switch (width) {
    case 1: text = to_utf8<std::uint8_t>(data); break;
    case 2: text = to_utf8<std::uint16_t>(data); break;
    default: text = to_utf8<std::uint32_t>(data); break;
  }
  if (length > kMaxTextLength) text += "...";
  return text;
}

std::optional<std::vector<std::byte>> read_bytes(model::MemoryReader& memory, const ObjectLayout& layout,
                                                 model::RemoteAddress address, std::size_t max_bytes) {
  const auto head = RemoteStruct::read(memory, address, layout.bytes_size + 8);
  if (!head) return std::nullopt;
  const std::uint64_t size = head->u64(layout.bytes_size);
  if (size > max_bytes) return std::nullopt;
  std::vector<std::byte> data(size);
  if (!memory.read_exact(address + layout.bytes_data, data)) return std::nullopt;
  return data;
}

model::RemoteAddress read_type(model::MemoryReader& memory, const ObjectLayout& layout, model::RemoteAddress object) {
  const auto head = RemoteStruct::read(memory, object, layout.type + 8);
  return model::RemoteAddress{head ? head->u64(layout.type) : 0};
}

std::optional<std::string> read_type_name(model::MemoryReader& memory, const ObjectLayout& layout,
                                          model::RemoteAddress type) {
  const auto head = RemoteStruct::read(memory, type, layout.type_name + 8);
  if (!head) return std::nullopt;
  const model::RemoteAddress name{head->u64(layout.type_name)};
  std::array<std::byte, kMaxTypeName> bytes{};
  const std::size_t got = memory.read_up_to(name, bytes);
  const auto* begin = reinterpret_cast<const char*>(bytes.data());
  const auto* end = std::find(begin, begin + got, '\0');
  if (end == begin + got) return std::nullopt;
  return std::string(begin, end);
}

}  // namespace hangstack::symbolizer
