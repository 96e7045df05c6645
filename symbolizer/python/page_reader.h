#pragma once
// Fewer, larger reads: frames lie close together, so that one page serves many of them.

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "model/memory_reader.h"

namespace hangstack::symbolizer {

/// Reads whole pages through another reader and keeps them for as long as it lives: one thread's window. A page that
/// cannot be read whole is left to the other reader, request by request.
class PageReader : public model::MemoryReader {
 public:
  explicit PageReader(model::MemoryReader& memory) : memory_(memory) {}

  void read_batch(std::span<model::ReadRequest> requests) override;

 private:
  static constexpr std::uint64_t kPageBytes = 4096;

  /// Null if the page cannot be read whole.
  const std::vector<std::byte>* page(std::uint64_t start);

  model::MemoryReader& memory_;
  std::unordered_map<std::uint64_t, std::vector<std::byte>> pages_;  ///< empty: not readable
};

}  // namespace hangstack::symbolizer
