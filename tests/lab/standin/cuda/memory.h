#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace hangstack::standin {

enum class MemoryKind { kDevice, kPinned };

struct Allocation {
  uintptr_t base = 0;
  size_t size = 0;  ///< bytes, as asked for
  MemoryKind kind = MemoryKind::kDevice;
  int device = 0;
};

/// Zeroed host memory, page aligned, that counts as device or pinned memory until `release`. nullptr: none left.
void* allocate(size_t size, MemoryKind kind, int device);

/// Gives back what `allocate` returned; false when `base` is no such address.
bool release(void* base);

/// Makes memory of the caller count as pinned, until `forget`.
void register_pinned(void* base, size_t size, int device);
bool forget(void* base);

/// The allocation that holds `address`; nothing for plain host memory.
std::optional<Allocation> allocation_at(const void* address);

}  // namespace hangstack::standin
