#include <gtest/gtest.h>

#include "symbolizer/unwind/unwinder.h"
#include "tests/support/byte_memory.h"
#include "tests/support/self_capture.h"

namespace hangstack::symbolizer {
namespace {

using model::Register;

/// Gives where its caller goes on after the call. Every function here keeps a frame pointer.
__attribute__((noinline)) std::uint64_t return_address() {
  return reinterpret_cast<std::uint64_t>(__builtin_return_address(0));
}
__attribute__((noinline)) std::uint64_t address_in_a_frame() {
  const volatile std::uint64_t found = return_address();
  return found;
}

/// Two stacks in mappings of their own; the saved rbp of each leads into the other, for ever.
struct StacksThatLeadIntoEachOther {
  static constexpr std::uint64_t kFirst = 0x10000000;
  static constexpr std::uint64_t kSecond = 0x20000000;
  model::ProcessCapture capture = tests::capture_of_self();
  model::ThreadCapture thread;
  tests::ByteMemory memory;

  StacksThatLeadIntoEachOther() {
    const std::uint64_t pc = address_in_a_frame();
    for (const std::uint64_t start : {kSecond, kFirst}) {
      model::Mapping stack;
      stack.start = start;
      stack.end = start + 0x1000;
      stack.readable = stack.writable = true;
      capture.mappings.insert(capture.mappings.begin(), stack);
      memory.put_word(start + 0x800, (start == kFirst ? kSecond : kFirst) + 0x800);
      memory.put_word(start + 0x808, pc);
    }
    thread.registers.set(Register::rbp, kFirst + 0x800);
    thread.registers.set(Register::rsp, kFirst + 0x7f0);
    thread.registers.set(Register::rip, pc);
  }

  UnwoundStack unwind(Unwinder& unwinder) {
    ModuleCache cache;
    ProcessModules modules(capture, cache, memory);
    return unwinder.unwind(thread, modules, memory);
  }
};

void expect_an_end(const UnwoundStack& stack) {
  EXPECT_FALSE(stack.complete);
  EXPECT_NE(stack.end.find("leads back down the stack"), std::string::npos) << stack.end;
  EXPECT_GT(stack.frames.size(), 2U);
  EXPECT_LT(stack.frames.size(), 4U * kMaxStackSwitches);
}

TEST(RowUnwinder, StacksThatLeadIntoEachOtherEnd) {
  expect_an_end(StacksThatLeadIntoEachOther().unwind(*make_row_unwinder()));
}

TEST(LibunwindUnwinder, StacksThatLeadIntoEachOtherEnd) {
  expect_an_end(StacksThatLeadIntoEachOther().unwind(*make_libunwind_unwinder()));
}

}  // namespace
}  // namespace hangstack::symbolizer
