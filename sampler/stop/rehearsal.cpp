#include "sampler/stop/rehearsal.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "sampler/proc/syscall.h"

namespace hangstack::sampler {
namespace {

using model::Register;

/// None for a thread that runs, or does not show them.
model::RegisterSet registers_of(const ProcFiles& proc, std::int32_t pid, std::int32_t tid) {
  std::array<char, 512> buffer{};
  const auto line = proc.read_once(fmt::format("{}/task/{}/syscall", pid, tid), buffer).and_then(parse_syscall);
  return line && !line->running ? shown_registers(*line) : model::RegisterSet();
}

bool has_same_bytes(const StackCopy& a, const StackCopy& b) {
  return a.address == b.address && a.bytes.size() == b.bytes.size() &&
         std::memcmp(a.bytes.data(), b.bytes.data(), a.bytes.size()) == 0;
}

}  // namespace

Rehearsal::Rehearsal(const ProcFiles& proc, std::int32_t pid, std::span<const model::ThreadCapture> threads,
                     ThreadWindow& window, std::size_t stack_bytes)
    : parts_(threads.size()) {
  std::vector<std::uint64_t> stack_pointers;
  stack_pointers.reserve(threads.size());
  for (std::size_t i = 0; i < threads.size(); ++i) {
    parts_[i].registers = registers_of(proc, pid, threads[i].tid);
    stack_pointers.push_back(parts_[i].registers.get(Register::rsp).value_or(0));
  }
  const auto stacks = window.copy_stacks(stack_pointers, stack_bytes);
  for (std::size_t i = 0; i < threads.size(); ++i) {
    Part& part = parts_[i];
    part.stack = stacks[i];
    copied_bytes_ += part.stack.bytes.size();
    model::ThreadCapture thread = threads[i];
    thread.registers = part.registers;
    part.pages = window.inspect(thread, part.stack);
    all_pages_.insert(part.pages.begin(), part.pages.end());
  }
}

bool Rehearsal::is_unchanged(std::size_t index, const model::RegisterSet& registers, const StackCopy& stack,
                             std::span<const std::uint64_t> changed_pages) const {
  if (index >= parts_.size()) return false;
  const Part& before = parts_[index];
  const bool stands_there = before.registers.knows(Register::rsp) &&
                            before.registers.get(Register::rsp) == registers.get(Register::rsp) &&
                            before.registers.get(Register::rip) == registers.get(Register::rip);
  if (!stands_there || !has_same_bytes(before.stack, stack)) return false;
  if (before.pages.empty() && !all_pages_.empty()) return false;
  return std::ranges::none_of(changed_pages, [&before](std::uint64_t page) { return before.pages.contains(page); });
}

}  // namespace hangstack::sampler
