#include "symbolizer/native/call_frames.h"

#include <dwarf.h>
#include <elfutils/libdw.h>

#include <cstdlib>
#include <memory>

namespace hangstack::symbolizer {

namespace {

constexpr std::size_t kMaxOperations = 1000;
constexpr int kReturnAddressColumn = 16;

struct FrameDeleter {
  void operator()(Dwarf_Frame* frame) const { std::free(frame); }
};
using FramePointer = std::unique_ptr<Dwarf_Frame, FrameDeleter>;

std::vector<DwarfOperation> operations(const Dwarf_Op* ops, std::size_t count) {
  std::vector<DwarfOperation> list;
  for (std::size_t i = 0; i < count; ++i) list.push_back({ops[i].atom, ops[i].number, ops[i].number2, ops[i].offset});
  return list;
}

/// libdw gives the CFA as one DW_OP_bregx, or as the file's own expression.
std::optional<RegisterRule> cfa_rule(Dwarf_Frame* frame) {
  Dwarf_Op* ops = nullptr;
  std::size_t count = 0;
  if (dwarf_frame_cfa(frame, &ops, &count) != 0 || count == 0 || count > kMaxOperations) return std::nullopt;
  if (count == 1 && ops[0].atom == DW_OP_bregx) {
    return RegisterRule{RuleKind::register_plus_offset,
                        static_cast<std::int64_t>(ops[0].number2),
                        static_cast<std::uint32_t>(ops[0].number),
                        {}};
  }
  return RegisterRule{RuleKind::is_expression, 0, 0, operations(ops, count)};
}

/// libdw gives offset rules as "call_frame_cfa [, plus_uconst n] [, stack_value]".
std::optional<RegisterRule> compact(const Dwarf_Op* ops, std::size_t count) {
  const bool value = ops[count - 1].atom == DW_OP_stack_value;
  const std::size_t plain = value ? count - 1 : count;
  if (plain == 0 || plain > 2 || ops[0].atom != DW_OP_call_frame_cfa) return std::nullopt;
  if (plain == 2 && ops[1].atom != DW_OP_plus_uconst) return std::nullopt;
  const std::int64_t offset = plain == 2 ? static_cast<std::int64_t>(ops[1].number) : 0;
  return RegisterRule{value ? RuleKind::cfa_plus_offset : RuleKind::at_cfa_offset, offset, 0, {}};
}

std::optional<RegisterRule> register_rule(Dwarf_Frame* frame, int number) {
  Dwarf_Op memory[3];
  Dwarf_Op* ops = nullptr;
  std::size_t count = 0;
  if (dwarf_frame_register(frame, number, memory, &ops, &count) != 0 || count > kMaxOperations) return std::nullopt;
  if (count == 0) return RegisterRule{ops == nullptr ? RuleKind::same : RuleKind::undefined, 0, 0, {}};
  if (count == 1 && ops[0].atom == DW_OP_regx) {
    return RegisterRule{RuleKind::in_register, 0, static_cast<std::uint32_t>(ops[0].number), {}};
  }
  if (auto rule = compact(ops, count)) return rule;
  const bool value = ops[count - 1].atom == DW_OP_stack_value;
  return RegisterRule{value ? RuleKind::is_expression : RuleKind::at_expression, 0, 0,
                      operations(ops, value ? count - 1 : count)};
}

std::optional<CallFrameRow> row_from(Dwarf_CFI* cfi, model::ModuleAddress address) {
  Dwarf_Frame* raw = nullptr;
  if (cfi == nullptr || dwarf_cfi_addrframe(cfi, address.value, &raw) != 0) return std::nullopt;
  const FramePointer frame(raw);
  CallFrameRow row;
  if (dwarf_frame_info(raw, nullptr, nullptr, &row.signal_frame) != kReturnAddressColumn) return std::nullopt;
  const auto cfa = cfa_rule(raw);
  if (!cfa) return std::nullopt;
  row.cfa = *cfa;
  for (std::size_t i = 0; i < row.registers.size(); ++i) {
    // A rule that cannot be read makes that register unknown, not the whole row.
    row.registers[i] = register_rule(raw, static_cast<int>(i)).value_or(RegisterRule{});
  }
  return row;
}

}  // namespace

CallFrames::CallFrames(const ElfFile& file, std::function<const ElfFile*()> separate)
    : file_(file),
      separate_(std::move(separate)),
      eh_frame_(dwarf_getcfi_elf(file.handle())),
      eh_ranges_(&file, FrameSection::eh_frame),
      debug_ranges_(nullptr, FrameSection::debug_frame) {}

CallFrames::~CallFrames() {
  if (eh_frame_ != nullptr) dwarf_cfi_end(eh_frame_);
  if (dwarf_ != nullptr) dwarf_end(dwarf_);
}

void CallFrames::open_debug_frames() {
  if (looked_for_debug_frame_) return;
  looked_for_debug_frame_ = true;
  const ElfFile* with = file_.section_bytes(".debug_frame") ? &file_ : separate_();
  if (with == nullptr || !with->section_bytes(".debug_frame")) return;
  dwarf_ = dwarf_begin_elf(with->handle(), DWARF_C_READ, nullptr);
  if (dwarf_ == nullptr) return;
  debug_frame_ = dwarf_getcfi(dwarf_);
  debug_ranges_ = FdeRanges(with, FrameSection::debug_frame);
}

std::optional<CallFrameRow> CallFrames::row(model::ModuleAddress address) {
  if (auto row = row_from(eh_frame_, address)) return row;
  open_debug_frames();
  return row_from(debug_frame_, address);
}

std::optional<AddressRange> CallFrames::function_range(model::ModuleAddress address) {
  if (auto range = eh_ranges_.at(address)) return range;
  open_debug_frames();
  return debug_ranges_.at(address);
}

}  // namespace hangstack::symbolizer
