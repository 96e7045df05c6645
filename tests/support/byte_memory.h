#pragma once
// Memory of a test: words and bytes at chosen addresses.

#include <cstring>
#include <map>

#include "model/memory_reader.h"

namespace hangstack::tests {

class ByteMemory : public model::MemoryReader {
 public:
  void put_word(std::uint64_t address, std::uint64_t value) {
    for (int i = 0; i < 8; ++i)
      bytes_[address + static_cast<std::uint64_t>(i)] = static_cast<std::byte>(value >> (8 * i));
  }

  void put_byte(std::uint64_t address, std::uint8_t value) { bytes_[address] = static_cast<std::byte>(value); }
  [[nodiscard]] std::uint64_t word(std::uint64_t address) const {
    std::uint64_t value = 0;
    for (std::uint64_t i = 0; i < 8; ++i)
      if (const auto found = bytes_.find(address + i); found != bytes_.end())
        value |= std::to_integer<std::uint64_t>(found->second) << (8 * i);
    return value;
  }

  void read_batch(std::span<model::ReadRequest> requests) override {
    for (model::ReadRequest& request : requests) {
      request.got = 0;
      for (std::byte& into : request.into) {
        const auto found = bytes_.find(request.address.value + request.got);
        if (found == bytes_.end()) break;
        into = found->second;
        ++request.got;
      }
    }
  }

 private:
  std::map<std::uint64_t, std::byte> bytes_;
};

}  // namespace hangstack::tests
