#include "symbolizer/unwind/frame_pointer.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "symbolizer/unwind/call_site.h"
#include "symbolizer/unwind/dwarf_expression.h"

namespace hangstack::symbolizer {

namespace {

using model::Register;
using model::RemoteAddress;

constexpr std::uint64_t kMaxDistance = 64UL * 1024;
constexpr std::size_t kPrologueBytes = 128;
constexpr std::uint32_t kRbp = static_cast<std::uint32_t>(Register::rbp);

const RegisterRule& rule_of(const CallFrameRow& row, Register reg) {
  return row.registers[static_cast<std::size_t>(reg)];
}

/// The amounts that instructions in the prologue's bytes take off rsp: "sub $n, %rsp" in its two lengths, and
/// "add $-128, %rsp". Bytes that merely look like one add an amount that no return address will confirm.
std::vector<std::uint64_t> stack_allocations(std::span<const std::byte> code, bool& realigned) {
  std::vector<std::uint64_t> amounts;
  const auto at = [&](std::size_t i) { return std::to_integer<std::uint8_t>(code[i]); };
  for (std::size_t i = 0; i + 4 <= code.size(); ++i) {
    if (at(i) != 0x48) continue;
    if (at(i + 1) == 0x83 && at(i + 2) == 0xec && at(i + 3) < 0x80) amounts.push_back(at(i + 3));
    if (at(i + 1) == 0x83 && at(i + 2) == 0xc4 && at(i + 3) == 0x80) amounts.push_back(128);
    if (at(i + 1) == 0x83 && at(i + 2) == 0xe4) realigned = true;
    if (at(i + 1) == 0x81 && at(i + 2) == 0xec && i + 7 <= code.size()) {
      std::uint32_t amount = 0;
      std::memcpy(&amount, code.data() + i + 3, sizeof amount);
      amounts.push_back(amount);
    }
  }
  return amounts;
}

/// Bytes between the saved rbp and the lowest register saved below it.
std::uint64_t pushed_below_rbp(const CallFrameRow& row) {
  const std::int64_t rbp = rule_of(row, Register::rbp).offset;
  std::int64_t lowest = rbp;
  for (const RegisterRule& rule : row.registers) {
    if (rule.kind == RuleKind::at_cfa_offset) lowest = std::min(lowest, rule.offset);
  }
  return static_cast<std::uint64_t>(rbp) - static_cast<std::uint64_t>(lowest);
}

/// Where rbp is by the function's prologue: rsp + pushes + allocation; clang pushes one more register to align.
std::vector<std::uint64_t> predicted(const FramePointerSearch& search, ProcessModules& modules) {
  std::vector<std::uint64_t> places;
  const auto place = modules.find(search.lookup);
  const auto range = place ? place->module->function_range(place->address) : std::nullopt;
  if (!range) return places;
  std::array<std::byte, kPrologueBytes> code{};
  const std::size_t want = std::min<std::uint64_t>(code.size(), place->address.value - range->start.value);
  const std::size_t got = place->module->read(range->start, std::span(code).first(want));
  bool realigned = false;
  auto amounts = stack_allocations(std::span(code).first(got), realigned);
  if (realigned) return places;
  amounts.push_back(0);
  for (const std::uint64_t amount : amounts) {
    for (const std::uint64_t alignment : {0, 8}) {
      const std::uint64_t distance = pushed_below_rbp(search.row) + amount + alignment;
      // The push for alignment stands for an allocation.
      if (amount != 0 && alignment != 0) continue;
      if (distance < kMaxDistance && distance % 8 == 0) places.push_back(search.sp + distance);
    }
  }
  std::ranges::sort(places);
  places.erase(std::unique(places.begin(), places.end()), places.end());
  return places;
}

struct Candidate {
  std::uint64_t rbp = 0;
  CallMatch match = CallMatch::open;
};

/// Is there a frame of this function whose rbp is `rbp`: a return address after a call, and a caller that could go on?
std::optional<Candidate> candidate_at(std::uint64_t rbp, const FramePointerSearch& search, ProcessModules& modules,
                                      model::MemoryReader& memory) {
  const std::uint64_t cfa = rbp + static_cast<std::uint64_t>(search.row.cfa.offset);
  const auto return_address =
      word_at(memory, cfa + static_cast<std::uint64_t>(rule_of(search.row, Register::rip).offset));
  if (!return_address) return std::nullopt;
  const model::Mapping* mapping = modules.mapping_at(RemoteAddress{*return_address});
  if (mapping == nullptr || !mapping->executable) return std::nullopt;
  const auto call = call_before(RemoteAddress{*return_address}, modules);
  if (!call) return std::nullopt;
  const auto caller = modules.find(RemoteAddress{*return_address - 1});
  const CallFrameRow* caller_row = caller ? caller->module->row(caller->address) : nullptr;
  if (caller_row == nullptr) return std::nullopt;
  if (caller_row->cfa.kind == RuleKind::register_plus_offset && caller_row->cfa.number == kRbp) {
    const auto saved = word_at(memory, cfa + static_cast<std::uint64_t>(rule_of(search.row, Register::rbp).offset));
    const model::Mapping* stack = modules.mapping_at(RemoteAddress{search.sp});
    if (!saved || *saved <= rbp || *saved % 8 != 0) return std::nullopt;
    if (stack != nullptr && *saved >= stack->end) return std::nullopt;
  }
  return Candidate{rbp, match_call(*call, search.lookup, modules)};
}

}  // namespace

bool has_frame_pointer_shape(const CallFrameRow& row) {
  return row.cfa.kind == RuleKind::register_plus_offset && row.cfa.number == kRbp &&
         rule_of(row, Register::rip).kind == RuleKind::at_cfa_offset &&
         rule_of(row, Register::rbp).kind == RuleKind::at_cfa_offset;
}

std::optional<FoundFramePointer> find_frame_pointer(const FramePointerSearch& search, ProcessModules& modules,
                                                    model::MemoryReader& memory) {
  if (search.sp % 8 != 0) return std::nullopt;
  std::vector<Candidate> by_size;
  for (const std::uint64_t rbp : predicted(search, modules)) {
    if (auto found = candidate_at(rbp, search, modules, memory)) by_size.push_back(*found);
  }
  if (by_size.size() > 1) std::erase_if(by_size, [](const Candidate& c) { return c.match != CallMatch::matches; });
  if (by_size.size() == 1) {
    const bool proved = by_size.front().match == CallMatch::matches;
    return FoundFramePointer{by_size.front().rbp, true,
                             proved ? model::FrameTrust::frame_pointer : model::FrameTrust::guess};
  }
  for (std::uint64_t rbp = search.sp; rbp < search.sp + kMaxDistance; rbp += 8) {
    const auto found = candidate_at(rbp, search, modules, memory);
    if (!found) continue;
    if (found->match != CallMatch::matches) return std::nullopt;
    return FoundFramePointer{found->rbp, false, model::FrameTrust::frame_pointer};
  }
  return std::nullopt;
}

}  // namespace hangstack::symbolizer
