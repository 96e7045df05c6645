// Stacks and registers made of arbitrary bytes over the real code of this program: both unwinders come to an end.
// Each pair of bytes is one word: an address in code, or one in either of two stacks.

#include <cstdlib>
#include <vector>

#include "symbolizer/unwind/unwinder.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/byte_memory.h"
#include "tests/support/self_capture.h"

namespace {

using namespace hangstack;
using model::Register;

constexpr std::uint64_t kStacks[] = {0x10000000, 0x20000000};
constexpr std::uint64_t kStackBytes = 0x2000;
constexpr Register kRegisters[] = {Register::rip, Register::rsp, Register::rbp, Register::rbx,
                                   Register::r12, Register::r13, Register::r14, Register::r15};

struct Program {
  model::ProcessCapture capture = tests::capture_of_self();
  std::vector<model::Mapping> code;

  Program() {
    for (const model::Mapping& mapping : capture.mappings)
      if (mapping.executable && mapping.inode != 0) code.push_back(mapping);
    for (std::size_t i = std::size(kStacks); i-- > 0;) {
      model::Mapping stack;
      stack.start = kStacks[i];
      stack.end = kStacks[i] + kStackBytes;
      stack.readable = stack.writable = true;
      capture.mappings.insert(capture.mappings.begin(), stack);
    }
  }

  [[nodiscard]] std::uint64_t word(std::uint8_t first, std::uint8_t second) const {
    const std::uint64_t low = (first & 0x3fU) << 8U | second;
    if (const std::size_t stack = first >> 6U; stack < std::size(kStacks))
      return kStacks[stack] + low * 8 % kStackBytes;
    const model::Mapping& mapping = code[low % code.size()];
    return mapping.start + low * 977 % (mapping.end - mapping.start);
  }
};

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Program program;
  static symbolizer::ModuleCache cache;
  std::vector<std::uint64_t> words;
  for (std::size_t i = 0; i + 1 < size; i += 2) words.push_back(program.word(data[i], data[i + 1]));
  if (words.size() < std::size(kRegisters)) return 0;
  model::ThreadCapture thread;
  for (std::size_t i = 0; i < std::size(kRegisters); ++i) thread.registers.set(kRegisters[i], words[i]);
  tests::ByteMemory memory;
  for (std::size_t i = 0; i < words.size() && i * 8 < kStackBytes; ++i)
    for (const std::uint64_t stack : kStacks) memory.put_word(stack + i * 8, words[i]);
  symbolizer::ProcessModules modules(program.capture, cache, memory);
  for (const auto& unwinder : {symbolizer::make_row_unwinder(), symbolizer::make_libunwind_unwinder()}) {
    const symbolizer::UnwoundStack stack = unwinder->unwind(thread, modules, memory);
    const std::size_t most = symbolizer::kMaxInnermostFrames + symbolizer::kMaxOutermostFrames;
    if (stack.frames.size() > most || stack.end.empty()) std::abort();
  }
  return 0;
}
