#pragma once
// One row of call frame information: how the caller's registers are had at one address. Plain data, so that it can be
// cached, recorded and replayed; evaluated by unwind/row_evaluator.h.

#include <array>
#include <cstdint>
#include <vector>

#include "model/registers.h"

namespace hangstack::symbolizer {

/// One DWARF operation with its operands (DWARF 5, section 2.5).
struct DwarfOperation {
  std::uint8_t code = 0;
  std::uint64_t first = 0;
  std::uint64_t second = 0;
  std::uint64_t offset = 0;  ///< byte offset within its expression: what DW_OP_bra and DW_OP_skip count from

  friend bool operator==(const DwarfOperation&, const DwarfOperation&) = default;
};

enum class RuleKind : std::uint8_t {
  undefined,             ///< the caller's value is lost; for the return address: the outermost frame
  same,                  ///< not changed by this function
  at_cfa_offset,         ///< saved at CFA + offset
  cfa_plus_offset,       ///< is CFA + offset
  in_register,           ///< is in the register `number`
  register_plus_offset,  ///< is the register `number` + offset (for the CFA only)
  at_expression,         ///< saved where the expression says
  is_expression,         ///< is what the expression says
};

struct RegisterRule {
  RuleKind kind = RuleKind::undefined;
  std::int64_t offset = 0;
  std::uint32_t number = 0;
  std::vector<DwarfOperation> expression;

  friend bool operator==(const RegisterRule&, const RegisterRule&) = default;
};

struct CallFrameRow {
  RegisterRule cfa;
  std::array<RegisterRule, model::kRegisterCount> registers;  ///< by DWARF number; rip stands for the return address
  bool signal_frame = false;                                  ///< 'S' augmentation

  friend bool operator==(const CallFrameRow&, const CallFrameRow&) = default;
};

}  // namespace hangstack::symbolizer
