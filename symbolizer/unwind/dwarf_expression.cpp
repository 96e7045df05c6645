#include "symbolizer/unwind/dwarf_expression.h"

#include <dwarf.h>

#include <array>
#include <cstring>

namespace hangstack::symbolizer {

namespace {

using Kind = EvaluationFailure::Kind;

constexpr int kMaxSteps = 1000;
constexpr std::size_t kMaxDepth = 64;

tl::unexpected<EvaluationFailure> unsupported() { return tl::make_unexpected(EvaluationFailure{}); }

/// A stack whose every access is checked once: after a failed one `ok` is false and values are 0.
class ValueStack {
 public:
  void push(std::uint64_t value) {
    if (size_ == kMaxDepth) {
      ok_ = false;
      return;
    }
    values_[size_++] = value;
  }
  std::uint64_t pop() {
    if (size_ == 0) {
      ok_ = false;
      return 0;
    }
    return values_[--size_];
  }
  /// Counted from the top.
  std::uint64_t peek(std::uint64_t index) {
    if (index >= size_) {
      ok_ = false;
      return 0;
    }
    return values_[size_ - 1 - index];
  }
  [[nodiscard]] bool ok() const { return ok_; }

 private:
  std::array<std::uint64_t, kMaxDepth> values_{};
  std::size_t size_ = 0;
  bool ok_ = true;
};

std::int64_t as_signed(std::uint64_t value) { return static_cast<std::int64_t>(value); }

std::uint64_t shift_right_arithmetic(std::uint64_t value, std::uint64_t by) {
  return static_cast<std::uint64_t>(as_signed(value) >> (by > 63 ? 63 : by));
}

/// Operations on the two topmost values; none for other codes, and for a division by zero.
std::optional<std::uint64_t> binary(std::uint8_t code, std::uint64_t a, std::uint64_t b) {
  switch (code) {
    case DW_OP_and: return a & b;
    case DW_OP_or: return a | b;
    case DW_OP_xor: return a ^ b;
    case DW_OP_plus: return a + b;
    case DW_OP_minus: return a - b;
    case DW_OP_mul: return a * b;
    case DW_OP_div:
      if (b == 0 || (b == ~std::uint64_t{0} && a == std::uint64_t{1} << 63)) return std::nullopt;
      return static_cast<std::uint64_t>(as_signed(a) / as_signed(b));
    case DW_OP_mod: return b == 0 ? std::nullopt : std::optional(a % b);
    case DW_OP_shl: return b > 63 ? 0 : a << b;
    case DW_OP_shr: return b > 63 ? 0 : a >> b;
    case DW_OP_shra: return shift_right_arithmetic(a, b);
    case DW_OP_eq: return static_cast<std::uint64_t>(a == b);
    case DW_OP_ne: return static_cast<std::uint64_t>(a != b);
    case DW_OP_lt: return static_cast<std::uint64_t>(as_signed(a) < as_signed(b));
    case DW_OP_le: return static_cast<std::uint64_t>(as_signed(a) <= as_signed(b));
    case DW_OP_gt: return static_cast<std::uint64_t>(as_signed(a) > as_signed(b));
    case DW_OP_ge: return static_cast<std::uint64_t>(as_signed(a) >= as_signed(b));
    default: return std::nullopt;
  }
}

bool is_binary(std::uint8_t code) {
  switch (code) {
    case DW_OP_and:
    case DW_OP_or:
    case DW_OP_xor:
    case DW_OP_plus:
    case DW_OP_minus:
    case DW_OP_mul:
    case DW_OP_div:
    case DW_OP_mod:
    case DW_OP_shl:
    case DW_OP_shr:
    case DW_OP_shra:
    case DW_OP_eq:
    case DW_OP_ne:
    case DW_OP_lt:
    case DW_OP_le:
    case DW_OP_gt:
    case DW_OP_ge: return true;
    default: return false;
  }
}

/// Stack shuffles and operations on one value; false for other codes.
bool unary(const DwarfOperation& op, ValueStack& stack) {
  switch (op.code) {
    case DW_OP_dup: stack.push(stack.peek(0)); return true;
    case DW_OP_over: stack.push(stack.peek(1)); return true;
    case DW_OP_pick: stack.push(stack.peek(op.first)); return true;
    case DW_OP_drop: stack.pop(); return true;
    case DW_OP_swap: {
      const auto a = stack.pop();
      const auto b = stack.pop();
      stack.push(a);
      stack.push(b);
      return true;
    }
    case DW_OP_rot: {
      const auto a = stack.pop();
      const auto b = stack.pop();
      const auto c = stack.pop();
      stack.push(a);
      stack.push(c);
      stack.push(b);
      return true;
    }
    case DW_OP_neg: stack.push(0 - stack.pop()); return true;
    case DW_OP_not: stack.push(~stack.pop()); return true;
    case DW_OP_abs: {
      const auto a = stack.pop();
      stack.push(as_signed(a) < 0 ? 0 - a : a);
      return true;
    }
    case DW_OP_plus_uconst: stack.push(stack.pop() + op.first); return true;
    case DW_OP_nop: return true;
    default: return false;
  }
}

/// Constants; none for other codes. libdw sign-extends the signed ones.
std::optional<std::uint64_t> constant(const DwarfOperation& op) {
  if (op.code >= DW_OP_lit0 && op.code <= DW_OP_lit31) return op.code - DW_OP_lit0;
  switch (op.code) {
    case DW_OP_const1u:
    case DW_OP_const1s:
    case DW_OP_const2u:
    case DW_OP_const2s:
    case DW_OP_const4u:
    case DW_OP_const4s:
    case DW_OP_const8u:
    case DW_OP_const8s:
    case DW_OP_constu:
    case DW_OP_consts: return op.first;
    default: return std::nullopt;
  }
}

/// The register of DW_OP_breg* and its offset.
std::optional<std::pair<std::uint64_t, std::uint64_t>> based_register(const DwarfOperation& op) {
  if (op.code >= DW_OP_breg0 && op.code <= DW_OP_breg31)
    return std::pair(std::uint64_t{op.code} - DW_OP_breg0, op.first);
  if (op.code == DW_OP_bregx) return std::pair(op.first, op.second);
  return std::nullopt;
}

Evaluated<std::uint64_t> dereference(std::uint64_t address, std::uint64_t size, model::MemoryReader& memory) {
  if (size == 0 || size > 8) return unsupported();
  std::array<std::byte, 8> bytes{};
  if (!memory.read_exact(model::RemoteAddress{address}, std::span(bytes).first(size))) {
    return tl::make_unexpected(EvaluationFailure{Kind::unreadable_memory, {}, address});
  }
  std::uint64_t value = 0;
  std::memcpy(&value, bytes.data(), bytes.size());
  return value;
}

/// Where DW_OP_skip and DW_OP_bra go: 3 bytes of their own, then a signed distance.
std::optional<std::size_t> jump_target(const std::vector<DwarfOperation>& expression, const DwarfOperation& op) {
  const std::uint64_t offset =
      op.offset + 3 + static_cast<std::uint64_t>(std::int64_t{static_cast<std::int16_t>(op.first)});
  for (std::size_t i = 0; i < expression.size(); ++i) {
    if (expression[i].offset == offset) return i;
  }
  return std::nullopt;
}

}  // namespace

Evaluated<std::uint64_t> register_value(const model::RegisterSet& registers, std::uint64_t number) {
  if (number >= model::kRegisterCount) return unsupported();
  const auto reg = static_cast<model::Register>(number);
  if (const auto value = registers.get(reg)) return *value;
  return tl::make_unexpected(EvaluationFailure{Kind::unknown_register, reg, 0});
}

Evaluated<std::uint64_t> word_at(model::MemoryReader& memory, std::uint64_t address) {
  return dereference(address, 8, memory);
}

Evaluated<std::uint64_t> evaluate(const std::vector<DwarfOperation>& expression, const EvaluationContext& context) {
  ValueStack stack;
  std::size_t next = 0;
  for (int step = 0; next < expression.size(); ++step) {
    if (step == kMaxSteps || !stack.ok()) return unsupported();
    const DwarfOperation& op = expression[next++];
    if (const auto value = constant(op)) {
      stack.push(*value);
    } else if (const auto based = based_register(op)) {
      const auto base = register_value(context.registers, based->first);
      if (!base) return base;
      stack.push(*base + based->second);
    } else if (is_binary(op.code)) {
      const auto b = stack.pop();
      const auto a = stack.pop();
      const auto result = binary(op.code, a, b);
      if (!result) return unsupported();
      stack.push(*result);
    } else if (op.code == DW_OP_deref || op.code == DW_OP_deref_size) {
      const auto value = dereference(stack.pop(), op.code == DW_OP_deref ? 8 : op.first, context.memory);
      if (!value) return value;
      stack.push(*value);
    } else if (op.code == DW_OP_call_frame_cfa && context.cfa) {
      stack.push(*context.cfa);
    } else if (op.code == DW_OP_skip || (op.code == DW_OP_bra && stack.pop() != 0)) {
      const auto target = jump_target(expression, op);
      if (!target) return unsupported();
      next = *target;
    } else if (op.code != DW_OP_bra && !unary(op, stack)) {
      return unsupported();
    }
  }
  const auto result = stack.peek(0);
  if (!stack.ok()) return unsupported();
  return result;
}

}  // namespace hangstack::symbolizer
