#pragma once
// A copy of one struct of the process, read in one go; its fields are taken by offset.

#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include "model/memory_reader.h"

namespace hangstack::symbolizer {

class RemoteStruct {
 public:
  /// The first `size` bytes at `address`; none if they cannot all be read, or the address is null or odd (no struct of
  /// CPython is less than 8-aligned).
  static std::optional<RemoteStruct> read(model::MemoryReader& memory, model::RemoteAddress address, std::size_t size) {
    if (!address || address.value % 8 != 0 || size > kMaxBytes) return std::nullopt;
    RemoteStruct copy;
    copy.bytes_.resize(size);
    if (!memory.read_exact(address, copy.bytes_)) return std::nullopt;
    return copy;
  }

  /// Fields beyond the copied bytes read as zero.
  [[nodiscard]] std::uint64_t u64(std::uint64_t offset) const { return field<std::uint64_t>(offset); }
  [[nodiscard]] std::int32_t i32(std::uint64_t offset) const { return field<std::int32_t>(offset); }
  [[nodiscard]] std::uint32_t u32(std::uint64_t offset) const { return field<std::uint32_t>(offset); }
  [[nodiscard]] std::uint8_t u8(std::uint64_t offset) const { return field<std::uint8_t>(offset); }

 private:
  static constexpr std::size_t kMaxBytes = 64UL * 1024;

  template <typename T>
  [[nodiscard]] T field(std::uint64_t offset) const {
    T value{};
    if (offset <= bytes_.size() && bytes_.size() - offset >= sizeof(T)) {
      std::memcpy(&value, bytes_.data() + offset, sizeof(T));
    }
    return value;
  }

  std::vector<std::byte> bytes_;
};

}  // namespace hangstack::symbolizer
