#include "symbolizer/python/code_object.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "symbolizer/python/line_table.h"
#include "symbolizer/python/objects.h"
#include "symbolizer/remote_struct.h"

namespace hangstack::symbolizer {
namespace {

/// More threads than this never have copies of one code object's bytecode.
constexpr std::uint64_t kMaxThreadCopies = 4096;
constexpr std::int64_t kMaxCodeBytes = 64LL * 1024 * 1024;

std::size_t code_bytes(const CodeLayout& l) {
  std::uint64_t size = std::max({l.first_line + 4, l.file_name + 8, l.name + 8, l.line_table + 8});
  if (l.qualified_name) size = std::max(size, *l.qualified_name + 8);
  if (l.tlbc) size = std::max(size, *l.tlbc + 8);
  return size;
}

}  // namespace

const CodeObject& CodeReader::at(std::uint64_t address) {
  const auto known = objects_.find(address);
  if (known != objects_.end()) return known->second;
  return objects_.emplace(address, read(address)).first->second;
}

bool CodeReader::is_code(model::RemoteAddress object) {
  const model::RemoteAddress type = read_type(memory_, layout_.object, object);
  const auto known = code_types_.find(type.value);
  if (known != code_types_.end()) return known->second;
  const bool yes = read_type_name(memory_, layout_.object, type) == "code";
  code_types_.emplace(type.value, yes);
  return yes;
}

const std::string& CodeReader::text_at(std::uint64_t address) {
  const auto known = texts_.find(address);
  if (known != texts_.end()) return known->second;
  auto text = read_text(memory_, layout_.object, model::RemoteAddress{address});
  return texts_.emplace(address, text ? std::move(*text) : std::string()).first->second;
}

std::vector<std::uint64_t> CodeReader::read_thread_copies(std::uint64_t array) {
  std::vector<std::uint64_t> copies;
  const auto head = RemoteStruct::read(memory_, model::RemoteAddress{array}, 8);
  if (!head || head->u64(0) > kMaxThreadCopies) return copies;
  const std::uint64_t count = head->u64(0);
  const auto entries = RemoteStruct::read(memory_, model::RemoteAddress{array}, 8 + count * 8);
  if (!entries) return copies;
  for (std::uint64_t i = 0; i < count; ++i) copies.push_back(entries->u64(8 + i * 8));
  return copies;
}

CodeObject CodeReader::read(std::uint64_t address) {
  CodeObject code;
  if (address == 0) {
    code.problem = "the frame is being set up or cleared";
    return code;
  }
  const model::RemoteAddress at{address};
  const auto data = RemoteStruct::read(memory_, at, code_bytes(layout_.code));
  if (!data || !is_code(at)) {
    code.problem = fmt::format("no code object at {:#x}", address);
    return code;
  }
  const CodeLayout& l = layout_.code;
  code.first_line = std::max(0, data->i32(l.first_line));
  if (l.qualified_name) code.function = text_at(data->u64(*l.qualified_name));
  if (code.function.empty()) code.function = text_at(data->u64(l.name));
  code.file = text_at(data->u64(l.file_name));
  if (auto table = read_bytes(memory_, layout_.object, model::RemoteAddress{data->u64(l.line_table)}, kMaxLineTable)) {
    code.line_table = std::move(*table);
  }
  if (l.instructions) code.instructions = address + *l.instructions;
  if (l.tlbc) code.thread_copies = read_thread_copies(data->u64(*l.tlbc));
  return code;
}

int CodeReader::line_at(const CodeObject& code, std::int64_t byte_offset) const {
  // A unit before the code is the start of a function; anything further away is no instruction of it.
  if (byte_offset < -2 || byte_offset >= kMaxCodeBytes) return 0;
  return line_of(layout_.line_table, code.line_table, code.first_line, byte_offset).value_or(0);
}

model::Frame CodeReader::resolve(const RawFrame& raw) {
  model::Frame frame;
  frame.kind = model::FrameKind::python;
  frame.trust = model::FrameTrust::interpreter;
  frame.address = raw.address;
  const CodeObject& code = at(raw.code);
  if (!code.problem.empty()) {
    ++bad_;
    frame.note = code.problem;
    return frame;
  }
  ++good_;
  frame.function = code.function;
  frame.file = code.file;

  auto offset = static_cast<std::int64_t>(raw.instruction);
  if (layout_.instruction == InstructionKind::unit_index && offset >= 0) offset *= 2;
  if (layout_.instruction == InstructionKind::pointer) {
    std::uint64_t start = code.instructions;
    const auto copy = static_cast<std::size_t>(std::max(0, raw.copy_index));
    if (copy < code.thread_copies.size() && code.thread_copies[copy] != 0) start = code.thread_copies[copy];
    offset = static_cast<std::int64_t>(raw.instruction - start);
  }
  frame.line = line_at(code, offset);
  return frame;
}

}  // namespace hangstack::symbolizer
