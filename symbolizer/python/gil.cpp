#include "symbolizer/python/gil.h"

#include <algorithm>

#include "symbolizer/remote_struct.h"

namespace hangstack::symbolizer {
namespace {

using model::MemoryReader;
using model::RemoteAddress;

constexpr std::int64_t kFutexCall = 202;  // x86-64

}  // namespace

std::uint64_t gil_holder(MemoryReader& memory, const Runtime& runtime, const Interpreter& interpreter) {
  const Layout& l = runtime.layout;
  if (l.runtime.tstate_current) {
    return memory.read<std::uint64_t>(RemoteAddress{runtime.address + *l.runtime.tstate_current}).value_or(0);
  }
  std::uint64_t size = std::max(l.gil.last_holder + 8, l.gil.locked + 4);
  if (l.gil.enabled) size = std::max(size, *l.gil.enabled + 4);
  const auto gil = RemoteStruct::read(memory, RemoteAddress{interpreter.gil}, size);
  if (!gil || gil->i32(l.gil.locked) != 1) return 0;
  if (l.gil.enabled && gil->i32(*l.gil.enabled) == 0) return 0;
  return gil->u64(l.gil.last_holder);
}

bool sleeps_on_gil(const Runtime& runtime, const Interpreter& interpreter, const model::ThreadCapture& thread) {
  if (!thread.syscall || thread.syscall->number != kFutexCall || thread.syscall->arguments.empty()) return false;
  if (interpreter.gil == 0) return false;
  const GilLayout& l = runtime.layout.gil;
  const std::uint64_t into = thread.syscall->arguments.front() - (interpreter.gil + l.locked);
  return into >= l.wait_begin && into < l.wait_end;
}

bool requests_gil(MemoryReader& memory, const Runtime& runtime, std::uint64_t thread_state) {
  const auto offset = runtime.layout.thread.gil_requested;
  return offset && memory.read<std::int32_t>(RemoteAddress{thread_state + *offset}).value_or(0) != 0;
}

bool collects_garbage(MemoryReader& memory, const Runtime& runtime, const Interpreter& interpreter) {
  const auto offset = runtime.layout.interpreter.gc_collecting;
  return offset && memory.read<std::int32_t>(RemoteAddress{interpreter.address + *offset}).value_or(0) != 0;
}

bool is_finalizing(MemoryReader& memory, const Runtime& runtime) {
  const RemoteAddress address{runtime.address + runtime.layout.runtime.finalizing};
  return memory.read<std::uint64_t>(address).value_or(0) != 0;
}

}  // namespace hangstack::symbolizer
