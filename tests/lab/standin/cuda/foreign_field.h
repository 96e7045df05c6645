#pragma once

#include <cstring>

namespace hangstack::standin {

/// The value at `offset` bytes behind `base`, however it is aligned.
template <class T>
T read(const char* base, unsigned long offset) {
  T value;
  std::memcpy(static_cast<void*>(&value), base + offset, sizeof value);  // T may be a pointer
  return value;
}

}  // namespace hangstack::standin
