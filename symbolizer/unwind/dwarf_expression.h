#pragma once
// DWARF expressions of call frame information (DWARF 5, section 2.5, without the operations that 6.4.2 forbids there).

#include <cstdint>
#include <optional>
#include <tl/expected.hpp>
#include <vector>

#include "model/memory_reader.h"
#include "model/registers.h"
#include "symbolizer/native/call_frame_row.h"

namespace hangstack::symbolizer {

/// Why a row could not be evaluated.
struct EvaluationFailure {
  enum class Kind : std::uint8_t {
    unknown_register,   ///< `reg` is needed and not known
    unreadable_memory,  ///< `address` is not in the recorded memory
    unsupported,        ///< an operation or shape that call frame information does not have
  };
  Kind kind = Kind::unsupported;
  model::Register reg = model::Register::rip;
  std::uint64_t address = 0;
};

template <typename T>
using Evaluated = tl::expected<T, EvaluationFailure>;

/// Values in units of the machine: registers and 8-byte words, arithmetic modulo 2^64.
struct EvaluationContext {
  const model::RegisterSet& registers;
  model::MemoryReader& memory;
  std::optional<std::uint64_t> cfa;  ///< what DW_OP_call_frame_cfa pushes
};

/// A register by its DWARF number.
Evaluated<std::uint64_t> register_value(const model::RegisterSet& registers, std::uint64_t number);

/// An 8-byte word.
Evaluated<std::uint64_t> word_at(model::MemoryReader& memory, std::uint64_t address);

/// The value on top of the stack at the end. At most 1000 operations are run, loops included.
Evaluated<std::uint64_t> evaluate(const std::vector<DwarfOperation>& expression, const EvaluationContext& context);

}  // namespace hangstack::symbolizer
