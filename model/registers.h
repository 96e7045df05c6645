#pragma once
// The registers an unwinder needs, with the knowledge of which of them are known.

#include <array>
#include <cstdint>
#include <optional>

namespace hangstack::model {

/// DWARF register numbers of x86-64 (System V ABI, figure 3.36). The program counter takes number 16.
enum class Register : std::uint8_t {
  rax = 0,
  rdx,
  rcx,
  rbx,
  rsi,
  rdi,
  rbp,
  rsp,
  r8,
  r9,
  r10,
  r11,
  r12,
  r13,
  r14,
  r15,
  rip,
};
inline constexpr std::size_t kRegisterCount = 17;

/// A blocked thread that is read without a stop shows rsp, rip and its system call's arguments only:
/// the others are unknown, which is not the same as zero.
class RegisterSet {
 public:
  void set(Register r, std::uint64_t value) {
    values_[index(r)] = value;
    known_ |= 1U << index(r);
  }
  [[nodiscard]] bool knows(Register r) const { return ((known_ >> index(r)) & 1U) != 0; }
  [[nodiscard]] std::optional<std::uint64_t> get(Register r) const {
    if (!knows(r)) return std::nullopt;
    return values_[index(r)];
  }
  /// Bit n stands for DWARF register n.
  [[nodiscard]] std::uint32_t known_mask() const { return known_; }

  friend bool operator==(const RegisterSet&, const RegisterSet&) = default;

 private:
  static constexpr std::size_t index(Register r) { return static_cast<std::size_t>(r); }
  std::array<std::uint64_t, kRegisterCount> values_{};
  std::uint32_t known_ = 0;
};

}  // namespace hangstack::model
