#pragma once
// Two kinds of address that must never be mixed: in the process, and in the file.

#include <compare>
#include <cstdint>

namespace hangstack::model {

/// A virtual address in the observed process.
struct RemoteAddress {
  std::uint64_t value = 0;

  constexpr RemoteAddress() = default;
  constexpr explicit RemoteAddress(std::uint64_t v) : value(v) {}
  constexpr explicit operator bool() const { return value != 0; }
  friend constexpr auto operator<=>(RemoteAddress, RemoteAddress) = default;
  /// Wraps around like the machine does: callers check what they read, not the sum.
  friend constexpr RemoteAddress operator+(RemoteAddress a, std::uint64_t bytes) {
    return RemoteAddress{a.value + bytes};
  }
  friend constexpr RemoteAddress operator-(RemoteAddress a, std::uint64_t bytes) {
    return RemoteAddress{a.value - bytes};
  }
};

/// A virtual address as written in an ELF file: remote address = file address + load bias.
struct ModuleAddress {
  std::uint64_t value = 0;

  constexpr ModuleAddress() = default;
  constexpr explicit ModuleAddress(std::uint64_t v) : value(v) {}
  friend constexpr auto operator<=>(ModuleAddress, ModuleAddress) = default;
};

}  // namespace hangstack::model
