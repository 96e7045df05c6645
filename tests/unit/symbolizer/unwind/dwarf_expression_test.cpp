#include "symbolizer/unwind/dwarf_expression.h"

#include <dwarf.h>
#include <gtest/gtest.h>

#include "tests/support/byte_memory.h"

namespace hangstack::symbolizer {
namespace {

using Kind = EvaluationFailure::Kind;
using Expression = std::vector<DwarfOperation>;

struct DwarfExpression : ::testing::Test {
  model::RegisterSet registers;
  tests::ByteMemory memory;
  Evaluated<std::uint64_t> run(const Expression& expression, std::optional<std::uint64_t> cfa = {}) {
    return evaluate(expression, {registers, memory, cfa});
  }
};

TEST_F(DwarfExpression, ThePltEntryOfTheLinkerGivesItsCfa) {
  // DW_CFA_def_cfa_expression of .plt (binutils bfd/elfxx-x86.c): rsp + 8 + ((rip & 15) >= 11 ? 8 : 0)
  const Expression plt{{DW_OP_breg7, 8, 0, 0}, {DW_OP_breg16, 0, 0, 2}, {DW_OP_lit15, 0, 0, 4},
                       {DW_OP_and, 0, 0, 5},   {DW_OP_lit11, 0, 0, 6},  {DW_OP_ge, 0, 0, 7},
                       {DW_OP_lit3, 0, 0, 8},  {DW_OP_shl, 0, 0, 9},    {DW_OP_plus, 0, 0, 10}};
  registers.set(model::Register::rsp, 0x7000);
  registers.set(model::Register::rip, 0x100b);
  EXPECT_EQ(run(plt), 0x7010U);
  registers.set(model::Register::rip, 0x1006);
  EXPECT_EQ(run(plt), 0x7008U);
}

TEST_F(DwarfExpression, AnUnknownRegisterIsNamedNotZero) {
  const auto result = run({{DW_OP_breg6, 8, 0, 0}});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, Kind::unknown_register);
  EXPECT_EQ(result.error().reg, model::Register::rbp);
}

TEST_F(DwarfExpression, DereferenceTakesBytesOfTheSizeAsked) {
  memory.put_word(0x5000, 0x1122334455667788);
  EXPECT_EQ(run({{DW_OP_const8u, 0x5000, 0, 0}, {DW_OP_deref, 0, 0, 9}}), 0x1122334455667788U);
  EXPECT_EQ(run({{DW_OP_const8u, 0x5000, 0, 0}, {DW_OP_deref_size, 2, 0, 9}}), 0x7788U);
  const auto missing = run({{DW_OP_const8u, 0x6000, 0, 0}, {DW_OP_deref, 0, 0, 9}});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().kind, Kind::unreadable_memory);
  EXPECT_EQ(missing.error().address, 0x6000U);
  EXPECT_FALSE(run({{DW_OP_const8u, 0x5000, 0, 0}, {DW_OP_deref_size, 9, 0, 9}}));
}

TEST_F(DwarfExpression, BranchesCountBytes) {
  // lit1, bra +2 (over lit5, lit6), lit5, lit6, lit7
  const Expression branch{{DW_OP_lit1, 0, 0, 0}, {DW_OP_bra, 2, 0, 1},  {DW_OP_lit5, 0, 0, 4},
                          {DW_OP_lit6, 0, 0, 5}, {DW_OP_lit7, 0, 0, 6}, {DW_OP_plus, 0, 0, 7}};
  EXPECT_FALSE(run(branch));  // one value only is left to add
  Expression good(branch.begin(), branch.end() - 1);
  EXPECT_EQ(run(good), 7U);
}

TEST_F(DwarfExpression, AnEndlessLoopEnds) { EXPECT_FALSE(run({{DW_OP_lit0, 0, 0, 0}, {DW_OP_skip, 0xfffc, 0, 1}})); }

TEST_F(DwarfExpression, BadExpressionsAreRefused) {
  EXPECT_FALSE(run({}));
  EXPECT_FALSE(run({{DW_OP_plus, 0, 0, 0}}));
  EXPECT_FALSE(run({{DW_OP_lit1, 0, 0, 0}, {DW_OP_lit0, 0, 0, 1}, {DW_OP_div, 0, 0, 2}}));
  EXPECT_FALSE(run({{DW_OP_const8u, 1ULL << 63, 0, 0}, {DW_OP_consts, ~0ULL, 0, 9}, {DW_OP_div, 0, 0, 10}}));
  EXPECT_FALSE(run({{DW_OP_lit1, 0, 0, 0}, {DW_OP_pick, 5, 0, 1}}));
  EXPECT_FALSE(run({{DW_OP_call_frame_cfa, 0, 0, 0}}));
  EXPECT_FALSE(run({{DW_OP_addrx, 0, 0, 0}}));
  Expression deep;
  for (std::uint64_t i = 0; i < 100; ++i) deep.push_back({DW_OP_lit1, 0, 0, i});
  EXPECT_FALSE(run(deep));
}

TEST_F(DwarfExpression, ArithmeticIsThatOfTheMachine) {
  const auto two = [&](std::uint8_t code, std::uint64_t a, std::uint64_t b) {
    return run({{DW_OP_constu, a, 0, 0}, {DW_OP_constu, b, 0, 9}, {code, 0, 0, 18}}).value();
  };
  const std::uint64_t minus_one = ~std::uint64_t{0};
  EXPECT_EQ(two(DW_OP_minus, 1, 2), minus_one);
  EXPECT_EQ(two(DW_OP_div, minus_one - 5, 2), minus_one - 2);
  EXPECT_EQ(two(DW_OP_shra, minus_one, 200), minus_one);
  EXPECT_EQ(two(DW_OP_shr, minus_one, 64), 0U);
  EXPECT_EQ(two(DW_OP_lt, minus_one, 1), 1U);
  EXPECT_EQ(run({{DW_OP_lit1, 0, 0, 0}, {DW_OP_lit2, 0, 0, 1}, {DW_OP_lit3, 0, 0, 2}, {DW_OP_rot, 0, 0, 3}}), 2U);
  EXPECT_EQ(run({{DW_OP_lit1, 0, 0, 0}, {DW_OP_lit2, 0, 0, 1}, {DW_OP_swap, 0, 0, 2}}), 1U);
  EXPECT_EQ(run({{DW_OP_call_frame_cfa, 0, 0, 0}, {DW_OP_plus_uconst, 8, 0, 1}}, 0x100), 0x108U);
}

}  // namespace
}  // namespace hangstack::symbolizer
