#include "symbolizer/unwind/stack_inspector.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <span>
#include <vector>

namespace hangstack::symbolizer {

namespace {

using model::Register;
using model::RemoteAddress;

constexpr std::size_t kMaxImageBytes = 64UL * 1024;
// Of the handler's frames: enough for a handler that waits, small enough for a thread that stands still meanwhile.
constexpr std::size_t kMaxScannedBytes = 16UL * 1024;
constexpr std::size_t kMaxInterruptedBytes = 256UL * 1024;

/// The stack pointer that a signal handler on an alternate stack interrupted. The kernel writes a struct ucontext
/// (arch/x86/kernel/signal.c): flags, link, stack_t {address, flags, size}, registers with rsp as the sixteenth. A
/// stack_t that holds `sp` itself, followed by a stack pointer outside of it, is not there by chance.
std::optional<std::uint64_t> interrupted_stack_pointer(const std::vector<std::uint64_t>& words, std::uint64_t sp) {
  constexpr std::size_t kRspFromStack = 3 + 15;
  for (std::size_t i = 0; i + kRspFromStack < words.size(); ++i) {
    const std::uint64_t start = words[i];
    const std::uint64_t size = words[i + 2];
    if (sp < start || size == 0 || sp - start >= size || size > (std::uint64_t{1} << 32)) continue;
    const std::uint64_t interrupted = words[i + kRspFromStack];
    if (interrupted - start >= size) return interrupted;
  }
  return std::nullopt;
}

class StackInspector : public model::Inspector {
 public:
  void prepare(const model::ProcessCapture& process, model::MemoryReader& memory) override {
    for (const model::Mapping& m : process.mappings) {
      if (m.path == "[vdso]") read(m.start, std::min<std::uint64_t>(m.end - m.start, kMaxImageBytes), memory);
      // Stacks are private memory without a file: never a device.
      if (m.readable && m.writable && m.inode == 0 && !m.shared) writable_.push_back({m.start, m.end});
    }
  }

  void read_thread(const model::ThreadCapture& thread, model::MemoryReader& memory) override {
    const auto sp = thread.registers.get(Register::rsp);
    if (!sp) return;
    const Range* stack = range_of(*sp);
    if (stack == nullptr) return;
    std::vector<std::uint64_t> words(std::min<std::uint64_t>(stack->end - *sp, kMaxScannedBytes) / 8);
    const std::size_t got = memory.read_up_to(RemoteAddress{*sp}, std::as_writable_bytes(std::span(words)));
    words.resize(got / 8);
    const auto interrupted = interrupted_stack_pointer(words, *sp);
    const Range* below = interrupted ? range_of(*interrupted) : nullptr;
    if (below == nullptr) return;
    read(*interrupted, std::min<std::uint64_t>(below->end - *interrupted, kMaxInterruptedBytes), memory);
  }

  void finish(const model::ProcessCapture& /*process*/, model::MemoryReader& /*memory*/) override {}

 private:
  struct Range {
    std::uint64_t start;
    std::uint64_t end;
  };

  [[nodiscard]] const Range* range_of(std::uint64_t address) const {
    const auto behind = std::ranges::upper_bound(writable_, address, {}, &Range::start);
    return behind == writable_.begin() || address >= std::prev(behind)->end ? nullptr : &*std::prev(behind);
  }

  /// The reader records what is read: that is the purpose.
  static void read(std::uint64_t address, std::size_t size, model::MemoryReader& memory) {
    std::vector<std::byte> bytes(size);
    memory.read_up_to(RemoteAddress{address}, bytes);
  }

  std::vector<Range> writable_;  ///< ascending, as mappings are
};

}  // namespace

std::unique_ptr<model::Inspector> make_stack_inspector() { return std::make_unique<StackInspector>(); }

}  // namespace hangstack::symbolizer
