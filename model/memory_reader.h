#pragma once
// Memory of a process, wherever it comes from: live, recorded, or a test's bytes.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>

#include "model/address.h"
#include "model/error.h"

namespace hangstack::model {

/// One piece of a batch. `got` is set by the reader: bytes filled from the start of `into`.
struct ReadRequest {
  RemoteAddress address;
  std::span<std::byte> into;
  std::size_t got = 0;
};

/// Reads never block for good on ordinary memory, never touch device mappings, and never throw.
class MemoryReader {
 public:
  virtual ~MemoryReader() = default;

  /// Fills every request as far as its bytes are readable from the start; sets `got` of each.
  /// Requests are independent: one that fails does not spoil the others.
  virtual void read_batch(std::span<ReadRequest> requests) = 0;

  /// Bytes filled from the start of `into`; 0 when the address is not readable.
  std::size_t read_up_to(RemoteAddress address, std::span<std::byte> into);

  /// All of `into` or an `unreadable_memory` error that names the address.
  Expected<void> read_exact(RemoteAddress address, std::span<std::byte> into);

  /// A value of a trivially copyable type.
  template <typename T>
  Expected<T> read(RemoteAddress address) {
    static_assert(std::is_trivially_copyable_v<T>);
    T value{};
    auto done = read_exact(address, std::as_writable_bytes(std::span<T, 1>(&value, 1)));
    if (!done) return tl::make_unexpected(done.error());
    return value;
  }

  /// The bytes before the first NUL, at most `max_bytes`; an error if there is none within them.
  Expected<std::string> read_c_string(RemoteAddress address, std::size_t max_bytes);
};

}  // namespace hangstack::model
