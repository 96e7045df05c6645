#include "symbolizer/unwind/row_evaluator.h"

namespace hangstack::symbolizer {

namespace {

using model::Register;
using model::RegisterSet;

Evaluated<std::uint64_t> apply(const RegisterRule& rule, Register reg, std::uint64_t cfa, const RegisterSet& registers,
                               model::MemoryReader& memory) {
  const auto offset = static_cast<std::uint64_t>(rule.offset);
  const EvaluationContext context{registers, memory, cfa};
  switch (rule.kind) {
    case RuleKind::undefined: break;
    case RuleKind::same: return register_value(registers, static_cast<std::uint64_t>(reg));
    case RuleKind::at_cfa_offset: return word_at(memory, cfa + offset);
    case RuleKind::cfa_plus_offset: return cfa + offset;
    case RuleKind::in_register: return register_value(registers, rule.number);
    case RuleKind::register_plus_offset: {
      const auto base = register_value(registers, rule.number);
      if (!base) return base;
      return *base + offset;
    }
    case RuleKind::at_expression: {
      const auto address = evaluate(rule.expression, context);
      if (!address) return address;
      return word_at(memory, *address);
    }
    case RuleKind::is_expression: return evaluate(rule.expression, context);
  }
  return tl::make_unexpected(EvaluationFailure{EvaluationFailure::Kind::unknown_register, reg, 0});
}

}  // namespace

Evaluated<std::uint64_t> evaluate_cfa(const CallFrameRow& row, const RegisterSet& registers,
                                      model::MemoryReader& memory) {
  if (row.cfa.kind == RuleKind::is_expression) {
    return evaluate(row.cfa.expression, EvaluationContext{registers, memory, std::nullopt});
  }
  if (row.cfa.kind == RuleKind::register_plus_offset) return apply(row.cfa, Register::rsp, 0, registers, memory);
  return tl::make_unexpected(EvaluationFailure{});
}

Evaluated<CallerState> step(const CallFrameRow& row, const RegisterSet& registers, model::MemoryReader& memory) {
  const auto cfa = evaluate_cfa(row, registers, memory);
  if (!cfa) return tl::make_unexpected(cfa.error());
  CallerState caller;
  caller.cfa = *cfa;
  for (std::size_t i = 0; i < row.registers.size(); ++i) {
    const auto reg = static_cast<Register>(i);
    if (reg == Register::rip) continue;
    if (const auto value = apply(row.registers[i], reg, *cfa, registers, memory)) caller.registers.set(reg, *value);
  }
  // The stack pointer of the caller is the CFA by definition, unless a rule says otherwise (signal frames).
  if (!caller.registers.knows(Register::rsp)) caller.registers.set(Register::rsp, *cfa);
  const RegisterRule& return_rule = row.registers[static_cast<std::size_t>(Register::rip)];
  if (return_rule.kind == RuleKind::undefined) {
    caller.outermost = true;
    return caller;
  }
  const auto return_address = apply(return_rule, Register::rip, *cfa, registers, memory);
  if (!return_address) return tl::make_unexpected(return_address.error());
  caller.registers.set(Register::rip, *return_address);
  return caller;
}

}  // namespace hangstack::symbolizer
