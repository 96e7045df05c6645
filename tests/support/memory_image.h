#pragma once
// Memory of a process, made by hand: words written here and there, everything else unreadable.

#include <cstring>
#include <map>
#include <string_view>
#include <vector>

#include "model/memory_reader.h"

namespace hangstack::tests {

class MemoryImage : public model::MemoryReader {
 public:
  template <typename T>
  void put(std::uint64_t address, T value) {
    static_assert(std::is_trivially_copyable_v<T>);
    const auto* begin = reinterpret_cast<const std::byte*>(&value);
    put_bytes(address, std::span(begin, sizeof value));
  }

  void put_bytes(std::uint64_t address, std::span<const std::byte> bytes) {
    for (std::size_t i = 0; i < bytes.size(); ++i) cell(address + i) = bytes[i];
  }

  void put_text(std::uint64_t address, std::string_view text) {
    put_bytes(address, std::as_bytes(std::span(text.data(), text.size())));
    put<char>(address + text.size(), '\0');
  }

  /// Readable zeros.
  void reserve(std::uint64_t address, std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; ++i) cell(address + i);
  }

  void read_batch(std::span<model::ReadRequest> requests) override {
    for (model::ReadRequest& request : requests) {
      request.got = 0;
      while (request.got < request.into.size()) {
        const auto found = cells_.find(request.address.value + request.got);
        if (found == cells_.end()) break;
        request.into[request.got++] = found->second;
      }
    }
  }

 private:
  std::byte& cell(std::uint64_t address) { return cells_[address]; }
  std::map<std::uint64_t, std::byte> cells_;
};

}  // namespace hangstack::tests
