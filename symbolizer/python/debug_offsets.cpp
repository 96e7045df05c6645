#include "symbolizer/python/debug_offsets.h"

#include <fmt/core.h>

#include <cstring>

namespace hangstack::symbolizer {
namespace {

constexpr std::uint64_t kKiB = 1024;
constexpr std::uint64_t kMiB = 1024 * kKiB;

void check_interpreter(const Layout& l, const StructSizes& sizes, OffsetCheck& check) {
  check.in_struct("runtime_state.size", sizes.runtime, 64 * kMiB);
  check.field("runtime_state.interpreters_head", l.runtime.interpreters_head, 8);
  check.field("runtime_state.finalizing", l.runtime.finalizing, 8);
  check.in_struct("interpreter_state.size", sizes.interpreter, 64 * kMiB);
  check.field("interpreter_state.next", l.interpreter.next, 8);
  check.field("interpreter_state.id", l.interpreter.id, 8);
  check.field("interpreter_state.threads_head", l.interpreter.threads_head, 8);
  check.field("interpreter_state.imports_modules", l.interpreter.modules, 8);
  if (l.interpreter.gil) check.field("interpreter_state.ceval_gil", *l.interpreter.gil, 8);
  if (l.interpreter.gc_collecting) check.field("gc.collecting", *l.interpreter.gc_collecting, 4);
  check.in_struct("gil_runtime_state", l.gil.size, kKiB);
  check.field("gil_runtime_state_holder", l.gil.last_holder, 8);
  check.field("gil_runtime_state_locked", l.gil.locked, 4);
  if (l.gil.enabled) check.field("gil_runtime_state_enabled", *l.gil.enabled, 4);
}

void check_thread(const Layout& l, const StructSizes& sizes, OffsetCheck& check) {
  check.in_struct("thread_state.size", sizes.thread, 32 * kKiB);
  check.field("thread_state.prev", l.thread.previous, 8);
  check.field("thread_state.next", l.thread.next, 8);
  check.field("thread_state.interp", l.thread.interpreter, 8);
  check.field("thread_state.current_frame", l.thread.frame, 8);
  check.field("thread_state.thread_id", l.thread.thread_id, 8);
  if (l.thread.native_thread_id) check.field("thread_state.native_thread_id", *l.thread.native_thread_id, 8);
  if (l.thread.base_frame) check.field("thread_state.base_frame", *l.thread.base_frame, 8);
  if (l.thread.gil_requested) check.field("thread_state.gil_requested", *l.thread.gil_requested, 4);
  check.in_struct("interpreter_frame.size", sizes.frame, 4 * kKiB);
  check.field("interpreter_frame.previous", l.frame.previous, 8);
  check.field("interpreter_frame.executable", l.frame.code, 8);
  check.field("interpreter_frame.instr_ptr", l.frame.instruction, 8);
  check.field("interpreter_frame.localsplus", l.frame.locals, 8);
  if (l.frame.owner) check.field("interpreter_frame.owner", *l.frame.owner, 1);
  if (l.frame.tlbc_index) check.field("interpreter_frame.tlbc_index", *l.frame.tlbc_index, 4);
}

void check_objects(const Layout& l, const StructSizes& sizes, OffsetCheck& check) {
  check.in_struct("code_object.size", sizes.code, 4 * kKiB);
  check.field("code_object.filename", l.code.file_name, 8);
  check.field("code_object.name", l.code.name, 8);
  if (l.code.qualified_name) check.field("code_object.qualname", *l.code.qualified_name, 8);
  check.field("code_object.linetable", l.code.line_table, 8);
  check.field("code_object.firstlineno", l.code.first_line, 4);
  // Two-byte units at the end of the struct.
  if (l.code.instructions) check.field("code_object.co_code_adaptive", *l.code.instructions, 2);
  if (l.code.tlbc) check.field("code_object.co_tlbc", *l.code.tlbc, 8);
  check.in_struct("type_object.size", sizes.type, 4 * kKiB);
  check.field("pyobject.ob_type", l.object.type, 8);
  check.field("type_object.tp_name", l.object.type_name, 8);
  check.in_struct("heap_type_object.ht_cached_keys", l.object.type_cached_keys, 4 * kKiB);
  check.in_struct("dict_object.size", sizes.dict, 4 * kKiB);
  check.field("dict_object.ma_keys", l.object.dict_keys, 8);
  check.field("dict_object.ma_values", l.object.dict_values, 8);
  check.in_struct("bytes_object.size", sizes.bytes, 4 * kKiB);
  check.field("bytes_object.ob_size", l.object.bytes_size, 8);
  check.field("bytes_object.ob_sval", l.object.bytes_data, 1);
  check.in_struct("unicode_object.size", sizes.text, 4 * kKiB);
  check.field("unicode_object.length", l.object.text_length, 8);
  check.field("unicode_object.state", l.object.text_state, 4);
  check.field("unicode_object.asciiobject_size", l.object.ascii_size, 1);
  check.field("unicode_object.compactunicodeobject_size", l.object.compact_size, 1);
}

}  // namespace

void check_layout(const Layout& layout, const StructSizes& sizes, OffsetCheck& check) {
  check_interpreter(layout, sizes, check);
  check_thread(layout, sizes, check);
  check_objects(layout, sizes, check);
}

std::optional<PythonVersion> debug_offsets_version(std::span<const std::byte> table) {
  DebugOffsetsHead head{};
  if (table.size() < sizeof head) return std::nullopt;
  std::memcpy(&head, table.data(), sizeof head);
  if (std::memcmp(&head.cookie, kDebugOffsetsCookie.data(), sizeof head.cookie) != 0) return std::nullopt;
  if (head.version > 0xffffffffU) return std::nullopt;
  auto version = version_from_hex(static_cast<std::uint32_t>(head.version));
  if (version) version->free_threaded = head.free_threaded != 0;
  return version;
}

model::Expected<Layout> layout_from_debug_offsets(std::span<const std::byte> table) {
  const auto version = debug_offsets_version(table);
  if (!version) {
    return model::failure(model::ErrorCode::unsupported_python, "the interpreter's table of offsets is not valid");
  }
  OffsetCheck check;
  Layout layout;
  switch (version->minor) {
    case 13: layout = layout_3_13(table, check); break;
    case 14: layout = layout_3_14(table, check); break;
    case 15: layout = layout_3_15(table, check); break;
    default:
      return model::failure(model::ErrorCode::unsupported_python,
                            fmt::format("Python {} is not known to this version", version_text(*version)),
                            "Use a newer hangstack; native frames are shown as usual");
  }
  layout.free_threaded = version->free_threaded;
  if (!check.wrong().empty()) {
    return model::failure(
        model::ErrorCode::unsupported_python,
        fmt::format("Python {} has a table of offsets with a wrong {}", version_text(*version), check.wrong()),
        "A pre-release or changed interpreter; native frames are shown as usual");
  }
  return layout;
}

}  // namespace hangstack::symbolizer
