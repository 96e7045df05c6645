#include "sampler/proc/syscall.h"

#include <array>

#include "sampler/proc/fields.h"

namespace hangstack::sampler {

using model::Register;

model::Expected<SyscallLine> parse_syscall(std::string_view text) {
  const auto malformed = [] {
    return model::failure(model::ErrorCode::malformed_input, "syscall is not a known line");
  };
  Lines lines(text);
  const auto line = lines.next();
  if (!line || !lines.rest().empty()) return malformed();
  SyscallLine parsed;
  if (*line == "running") {
    parsed.running = true;
    return parsed;
  }
  Fields fields(*line);
  const auto number = fields.number<std::int64_t>();
  if (!number) return malformed();
  parsed.call = model::SystemCall{*number, {}};
  if (*number >= 0) {
    parsed.call->arguments.resize(6);
    for (std::uint64_t& argument : parsed.call->arguments) {
      const auto value = prefixed_hex_from<std::uint64_t>(fields.word());
      if (!value) return malformed();
      argument = *value;
    }
  }
  const auto stack_pointer = prefixed_hex_from<std::uint64_t>(fields.word());
  const auto program_counter = prefixed_hex_from<std::uint64_t>(fields.word());
  if (!stack_pointer || !program_counter || !fields.word().empty()) return malformed();
  parsed.stack_pointer = *stack_pointer;
  parsed.program_counter = *program_counter;
  return parsed;
}

/// In a system call the arguments are still in the registers that passed them (man syscall(2)); rax and rcx are not
/// shown.
model::RegisterSet shown_registers(const SyscallLine& line) {
  model::RegisterSet registers;
  registers.set(Register::rsp, line.stack_pointer);
  registers.set(Register::rip, line.program_counter);
  constexpr std::array kArguments{Register::rdi, Register::rsi, Register::rdx,
                                  Register::r10, Register::r8,  Register::r9};
  if (line.call && line.call->number >= 0 && line.call->arguments.size() == kArguments.size()) {
    for (std::size_t i = 0; i < kArguments.size(); ++i) registers.set(kArguments[i], line.call->arguments[i]);
  }
  return registers;
}

}  // namespace hangstack::sampler
