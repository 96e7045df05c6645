#include "symbolizer/unwind/call_site.h"

#include <array>
#include <cstring>
#include <span>

namespace hangstack::symbolizer {

namespace {

using model::RemoteAddress;

// The longest call: REX, opcode, ModRM, SIB and a 4-byte displacement.
constexpr std::size_t kLongestCall = 8;

std::uint8_t byte_at(std::span<const std::byte> bytes, std::size_t index) {
  return std::to_integer<std::uint8_t>(bytes[index]);
}

std::uint64_t relative_at(std::span<const std::byte> bytes, std::size_t index) {
  std::int32_t value = 0;
  std::memcpy(&value, bytes.data() + index, sizeof value);
  return static_cast<std::uint64_t>(std::int64_t{value});
}

/// Length of "FF /2" from its ModRM byte on (Intel SDM, volume 2, table 2-2); 0 if it is no indirect near call.
std::size_t indirect_call_length(std::span<const std::byte> from_opcode) {
  if (from_opcode.size() < 2 || byte_at(from_opcode, 0) != 0xff) return 0;
  const std::uint8_t modrm = byte_at(from_opcode, 1);
  if (((modrm >> 3) & 7) != 2) return 0;
  const unsigned mode = modrm >> 6;
  const unsigned base = modrm & 7;
  if (mode == 3) return 2;
  std::size_t length = 2;
  bool displacement_only = mode == 0 && base == 5;
  if (base == 4) {
    if (from_opcode.size() < 3) return 0;
    ++length;
    displacement_only = mode == 0 && (byte_at(from_opcode, 2) & 7) == 5;
  }
  if (mode == 1) return length + 1;
  return mode == 2 || displacement_only ? length + 4 : length;
}

/// The GOT slot that a PLT stub jumps through: "[endbr64] [bnd] jmp *slot(%rip)".
std::optional<model::ModuleAddress> slot_of_stub(Module& module, model::ModuleAddress stub) {
  std::array<std::byte, 11> bytes{};
  const std::size_t got = module.read(stub, bytes);
  const std::span<const std::byte> view = std::span(bytes).first(got);
  constexpr std::array<std::uint8_t, 4> kEndbr64{0xf3, 0x0f, 0x1e, 0xfa};
  std::size_t at = 0;
  if (got >= 4 && std::memcmp(view.data(), kEndbr64.data(), 4) == 0) at = 4;
  if (at < got && byte_at(view, at) == 0xf2) ++at;
  if (got < at + 6 || byte_at(view, at) != 0xff || byte_at(view, at + 1) != 0x25) return std::nullopt;
  return model::ModuleAddress{stub.value + at + 6 + relative_at(view, at + 2)};
}

std::string symbol_of_slot(Module& module, std::optional<model::ModuleAddress> slot) {
  return slot ? module.slot_symbol(*slot) : std::string{};
}

}  // namespace

std::optional<CallSite> call_before(RemoteAddress return_address, ProcessModules& modules) {
  const auto place = modules.find(return_address - 1);
  if (!place) return std::nullopt;
  const std::uint64_t after = place->address.value + 1;
  if (after < kLongestCall) return std::nullopt;
  std::array<std::byte, kLongestCall> bytes{};
  if (place->module->read(model::ModuleAddress{after - kLongestCall}, bytes) != bytes.size()) return std::nullopt;
  const std::span<const std::byte> view(bytes);
  if (byte_at(view, kLongestCall - 5) == 0xe8) {
    const std::uint64_t target = after + relative_at(view, kLongestCall - 4);
    const model::ModuleAddress in_module{target};
    return CallSite{RemoteAddress{target + place->load_bias},
                    symbol_of_slot(*place->module, slot_of_stub(*place->module, in_module))};
  }
  for (std::size_t length = 2; length < kLongestCall; ++length) {
    const auto opcode = view.subspan(kLongestCall - length);
    if (indirect_call_length(opcode) != length) continue;
    std::optional<model::ModuleAddress> slot;
    if (byte_at(opcode, 1) == 0x15) slot = model::ModuleAddress{after + relative_at(opcode, 2)};
    return CallSite{std::nullopt, symbol_of_slot(*place->module, slot)};
  }
  return std::nullopt;
}

CallMatch match_call(const CallSite& call, RemoteAddress callee, ProcessModules& modules) {
  const auto place = modules.find(callee);
  const auto range = place ? place->module->function_range(place->address) : std::nullopt;
  if (!range) return CallMatch::open;
  if (!call.through.empty()) {
    const auto symbol = place->module->find_symbol(call.through);
    return symbol && symbol->address == range->start ? CallMatch::matches : CallMatch::differs;
  }
  if (!call.target) return CallMatch::open;
  return call.target->value == range->start.value + place->load_bias ? CallMatch::matches : CallMatch::differs;
}

bool call_is_proved(RemoteAddress return_address, RemoteAddress callee, ProcessModules& modules) {
  const auto call = call_before(return_address, modules);
  if (!call) return false;
  const CallMatch match = match_call(*call, callee, modules);
  if (match != CallMatch::open) return match == CallMatch::matches;
  const Module* caller = modules.module_at(return_address);
  return caller != nullptr && (caller->name().starts_with("libc.so") || caller->name().starts_with("libpthread"));
}

}  // namespace hangstack::symbolizer
