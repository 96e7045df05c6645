#include "model/memory_reader.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

namespace hangstack::model {

std::size_t MemoryReader::read_up_to(RemoteAddress address, std::span<std::byte> into) {
  ReadRequest request{address, into, 0};
  read_batch(std::span<ReadRequest>(&request, 1));
  return request.got;
}

Expected<void> MemoryReader::read_exact(RemoteAddress address, std::span<std::byte> into) {
  if (read_up_to(address, into) == into.size()) return {};
  return failure(ErrorCode::unreadable_memory,
                 fmt::format("{} bytes at {:#x} cannot be read", into.size(), address.value));
}

Expected<std::string> MemoryReader::read_c_string(RemoteAddress address, std::size_t max_bytes) {
  std::string text;
  std::array<std::byte, 256> chunk{};
  while (text.size() < max_bytes) {
    const std::size_t want = std::min(chunk.size(), max_bytes - text.size());
    const std::size_t got = read_up_to(address + text.size(), std::span(chunk).first(want));
    const auto* begin = reinterpret_cast<const char*>(chunk.data());
    const auto* end = std::find(begin, begin + got, '\0');
    text.append(begin, end);
    if (end != begin + got) return text;
    if (got < want) break;
  }
  return failure(ErrorCode::unreadable_memory,
                 fmt::format("no string of at most {} bytes at {:#x}", max_bytes, address.value));
}

}  // namespace hangstack::model
