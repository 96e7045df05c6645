#pragma once
// A process's memory made of a fuzz input.

#include <cstdint>
#include <span>

#include "model/memory_reader.h"

namespace hangstack::tests {

/// The input over and over again, so that any pointer leads into it; the last page of each 64 KiB is not readable.
class RepeatedMemory : public model::MemoryReader {
 public:
  explicit RepeatedMemory(std::span<const std::byte> bytes) : bytes_(bytes) {}

  void read_batch(std::span<model::ReadRequest> requests) override {
    for (model::ReadRequest& request : requests) {
      request.got = 0;
      while (request.got < request.into.size()) {
        const std::uint64_t at = request.address.value + request.got;
        if (bytes_.empty() || (at & 0xf000U) == 0xf000U) break;
        request.into[request.got++] = bytes_[at % bytes_.size()];
      }
    }
  }

 private:
  std::span<const std::byte> bytes_;
};

}  // namespace hangstack::tests
