#pragma once
// Bytes of a file that were asked for, as disjoint runs.

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace hangstack::symbolizer {

class RecordedBytes {
 public:
  using Runs = std::map<std::uint64_t, std::vector<std::byte>>;

  /// Bytes filled from the start of `into`.
  std::size_t read(std::uint64_t address, std::span<std::byte> into) const;
  /// Joins with runs that it touches; where it overlaps them, the bytes are the same (one file).
  void add(std::uint64_t address, std::span<const std::byte> bytes);

  [[nodiscard]] const Runs& runs() const { return runs_; }
  friend bool operator==(const RecordedBytes&, const RecordedBytes&) = default;

 private:
  Runs runs_;
};

}  // namespace hangstack::symbolizer
