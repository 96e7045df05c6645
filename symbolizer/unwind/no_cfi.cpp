#include "symbolizer/unwind/no_cfi.h"

#include <array>
#include <cstring>

#include "symbolizer/unwind/call_site.h"

namespace hangstack::symbolizer {

namespace {

using model::Register;
using model::RemoteAddress;

constexpr std::array<std::uint8_t, 9> kSignalReturn{0x48, 0xc7, 0xc0, 0x0f, 0x00, 0x00, 0x00, 0x0f, 0x05};

template <std::size_t N>
bool has_bytes(Module& module, model::ModuleAddress address, const std::array<std::uint8_t, N>& expected) {
  std::array<std::byte, N> bytes{};
  return module.read(address, bytes) == N && std::memcmp(bytes.data(), expected.data(), N) == 0;
}

bool begins_with_frame_pointer(Module& module, model::ModuleAddress start) {
  constexpr std::array<std::uint8_t, 4> kEndbr64{0xf3, 0x0f, 0x1e, 0xfa};
  if (has_bytes(module, start, kEndbr64)) start.value += 4;
  // "mov %rsp, %rbp" has two encodings.
  return has_bytes(module, start, std::array<std::uint8_t, 4>{0x55, 0x48, 0x89, 0xe5}) ||
         has_bytes(module, start, std::array<std::uint8_t, 4>{0x55, 0x48, 0x8b, 0xec});
}

}  // namespace

bool is_signal_return(const UnwoundFrame& frame, const std::optional<ModulePlace>& place) {
  if (!frame.is_return_address || !place) return false;
  const model::ModuleAddress pc{place->address.value + 1};
  // Code of a function that goes on after the call is no trampoline: most frames need no look at their bytes.
  const auto range = place->module->function_range(place->address);
  if (range && range->contains(pc)) return false;
  return has_bytes(*place->module, pc, kSignalReturn);
}

std::optional<CallerState> interrupted_state(std::uint64_t sp, model::MemoryReader& memory) {
  // struct ucontext: flags and link (16 bytes), stack_t (24), then struct sigcontext in this order.
  constexpr std::uint64_t kSavedRegisters = 40;
  constexpr std::array kOrder{Register::r8,  Register::r9,  Register::r10, Register::r11, Register::r12, Register::r13,
                              Register::r14, Register::r15, Register::rdi, Register::rsi, Register::rbp, Register::rbx,
                              Register::rdx, Register::rax, Register::rcx, Register::rsp, Register::rip};
  std::array<std::uint64_t, kOrder.size()> words{};
  if (!memory.read_exact(RemoteAddress{sp + kSavedRegisters}, std::as_writable_bytes(std::span(words)))) {
    return std::nullopt;
  }
  CallerState state;
  for (std::size_t i = 0; i < kOrder.size(); ++i) state.registers.set(kOrder[i], words[i]);
  state.cfa = state.registers.get(Register::rsp).value_or(0);
  return state;
}

std::optional<CallerState> caller_by_frame_pointer(const UnwoundFrame& frame, const ModulePlace& place,
                                                   const model::RegisterSet& registers, ProcessModules& modules,
                                                   model::MemoryReader& memory) {
  const auto rbp = registers.get(Register::rbp);
  if (!rbp || *rbp < frame.sp || *rbp % 8 != 0 || !modules.same_mapping(*rbp, frame.sp)) return std::nullopt;
  const auto saved = word_at(memory, *rbp);
  const auto return_address = word_at(memory, *rbp + 8);
  if (!saved || !return_address) return std::nullopt;
  const auto call = call_before(RemoteAddress{*return_address}, modules);
  if (!call) return std::nullopt;
  std::optional<model::ModuleAddress> start;
  if (!call->through.empty()) {
    if (const auto symbol = place.module->find_symbol(call->through)) start = symbol->address;
  } else if (call->target) {
    start = model::ModuleAddress{call->target->value - place.load_bias};
  }
  if (!start) return std::nullopt;
  // Else rbp may be that of a caller which called this function in its turn: its frame would be left out.
  place.module->resolve_names(std::array{place.address});
  const SymbolName* symbol = place.module->name_at(place.address);
  if (symbol == nullptr || symbol->start != *start) return std::nullopt;
  if (!begins_with_frame_pointer(*place.module, *start)) return std::nullopt;
  CallerState caller;
  caller.cfa = *rbp + 16;
  caller.registers.set(Register::rbp, *saved);
  caller.registers.set(Register::rsp, *rbp + 16);
  caller.registers.set(Register::rip, *return_address);
  return caller;
}

}  // namespace hangstack::symbolizer
