#include "symbolizer/unwind/row_evaluator.h"

#include <gtest/gtest.h>

#include "tests/support/byte_memory.h"

namespace hangstack::symbolizer {
namespace {

using model::Register;
using Kind = EvaluationFailure::Kind;

RegisterRule rule(RuleKind kind, std::int64_t offset = 0, std::uint32_t number = 0) {
  return {kind, offset, number, {}};
}

/// A function that pushed rbx below its return address.
CallFrameRow ordinary_row() {
  CallFrameRow row;
  row.cfa = rule(RuleKind::register_plus_offset, 16, 7);
  row.registers[16] = rule(RuleKind::at_cfa_offset, -8);
  row.registers[3] = rule(RuleKind::at_cfa_offset, -16);
  row.registers[6] = rule(RuleKind::same);
  return row;
}

struct RowEvaluator : ::testing::Test {
  model::RegisterSet registers;
  tests::ByteMemory memory;
  RowEvaluator() {
    registers.set(Register::rsp, 0x7000);
    registers.set(Register::rip, 0x1000);
    memory.put_word(0x7000, 0xbbbb);
    memory.put_word(0x7008, 0x2000);
  }
};

TEST_F(RowEvaluator, StepsToTheCaller) {
  registers.set(Register::rbp, 5);
  registers.set(Register::rax, 6);
  const auto caller = step(ordinary_row(), registers, memory);
  ASSERT_TRUE(caller);
  EXPECT_EQ(caller->cfa, 0x7010U);
  EXPECT_EQ(caller->registers.get(Register::rsp), 0x7010U);
  EXPECT_EQ(caller->registers.get(Register::rip), 0x2000U);
  EXPECT_EQ(caller->registers.get(Register::rbx), 0xbbbbU);
  EXPECT_EQ(caller->registers.get(Register::rbp), 5U);
  EXPECT_FALSE(caller->registers.knows(Register::rax));
}

TEST_F(RowEvaluator, UnknownRegistersStayUnknown) {
  const auto caller = step(ordinary_row(), registers, memory);
  ASSERT_TRUE(caller);
  EXPECT_FALSE(caller->registers.knows(Register::rbp));
}

TEST_F(RowEvaluator, ACfaByAnUnknownRegisterNamesIt) {
  CallFrameRow row = ordinary_row();
  row.cfa = rule(RuleKind::register_plus_offset, 16, 6);
  const auto caller = step(row, registers, memory);
  ASSERT_FALSE(caller);
  EXPECT_EQ(caller.error().kind, Kind::unknown_register);
  EXPECT_EQ(caller.error().reg, Register::rbp);
}

TEST_F(RowEvaluator, AMissingReturnAddressSaysWhere) {
  registers.set(Register::rsp, 0x9000);
  const auto caller = step(ordinary_row(), registers, memory);
  ASSERT_FALSE(caller);
  EXPECT_EQ(caller.error().kind, Kind::unreadable_memory);
  EXPECT_EQ(caller.error().address, 0x9008U);
}

TEST_F(RowEvaluator, AnUndefinedReturnAddressIsTheOutermostFrame) {
  CallFrameRow row = ordinary_row();
  row.registers[16] = rule(RuleKind::undefined);
  const auto caller = step(row, registers, memory);
  ASSERT_TRUE(caller);
  EXPECT_TRUE(caller->outermost);
}

TEST_F(RowEvaluator, AReturnAddressInARegisterIsThatOfVfork) {
  CallFrameRow row = ordinary_row();
  row.cfa.offset = 0;
  row.registers[16] = rule(RuleKind::in_register, 0, 5);
  registers.set(Register::rdi, 0x3000);
  const auto caller = step(row, registers, memory);
  ASSERT_TRUE(caller);
  EXPECT_EQ(caller->registers.get(Register::rip), 0x3000U);
  EXPECT_EQ(caller->cfa, 0x7000U);
}

TEST_F(RowEvaluator, RegisterNumbersFromAFileAreChecked) {
  CallFrameRow row = ordinary_row();
  row.cfa = rule(RuleKind::register_plus_offset, 16, 4'000'000'000U);
  EXPECT_FALSE(step(row, registers, memory));
}

}  // namespace
}  // namespace hangstack::symbolizer
