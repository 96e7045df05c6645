#include "symbolizer/unwind/end_reason.h"

#include <fmt/core.h>

#include <array>

namespace hangstack::symbolizer {

namespace {

using model::RemoteAddress;
using model::StackNeed;

std::string_view register_name(model::Register reg) {
  constexpr std::array<std::string_view, model::kRegisterCount> kNames{"rax", "rdx", "rcx", "rbx", "rsi", "rdi",
                                                                       "rbp", "rsp", "r8",  "r9",  "r10", "r11",
                                                                       "r12", "r13", "r14", "r15", "rip"};
  return kNames[static_cast<std::size_t>(reg)];
}

}  // namespace

std::string describe(RemoteAddress address, ProcessModules& modules) {
  if (const auto place = modules.find(address)) {
    return fmt::format("{}+{:#x}", place->module->name(), place->address.value);
  }
  const model::Mapping* mapping = modules.mapping_at(address);
  if (mapping == nullptr || mapping->path.empty()) return fmt::format("{:#x}", address.value);
  return fmt::format("{} ({})", fmt::format("{:#x}", address.value), mapping->path);
}

StackEnd complete_end() { return {"complete", true, StackNeed::nothing}; }

StackEnd needs_register(model::Register reg, RemoteAddress at, ProcessModules& modules) {
  return {fmt::format("the caller of {} cannot be found without register {}, which a blocked thread does not show",
                      describe(at, modules), register_name(reg)),
          false, StackNeed::registers};
}

StackEnd needs_memory(std::uint64_t address, const model::ThreadCapture& thread, ProcessModules& modules) {
  const auto sp = thread.registers.get(model::Register::rsp).value_or(0);
  const model::Mapping* mapping = modules.mapping_at(RemoteAddress{address});
  const bool on_stack = address >= sp && address < thread.stack_limit;
  const bool readable = mapping != nullptr && mapping->readable && mapping->inode == 0;
  if (on_stack || readable) {
    return {fmt::format("the copied part of the stack ended at {:#x}", address), false, StackNeed::more_memory};
  }
  return {fmt::format("the stack memory at {:#x} cannot be read", address), false, StackNeed::nothing};
}

StackEnd no_call_frame_information(RemoteAddress at, ProcessModules& modules) {
  if (Module* module = modules.module_at(at); module != nullptr && !module->available()) {
    return {module->unavailable_because(), false, StackNeed::nothing};
  }
  return {fmt::format("no call frame information at {}", describe(at, modules)), false, StackNeed::nothing};
}

StackEnd bad_return_address(std::uint64_t address, RemoteAddress from, ProcessModules& modules) {
  return {fmt::format("the return address {:#x} found for {} is not in executable memory", address,
                      describe(from, modules)),
          false, StackNeed::nothing};
}

StackEnd no_progress(RemoteAddress at, ProcessModules& modules) {
  return {fmt::format("the call frame information at {} leads back down the stack", describe(at, modules)), false,
          StackNeed::nothing};
}

}  // namespace hangstack::symbolizer
