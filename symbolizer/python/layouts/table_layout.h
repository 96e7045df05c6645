#pragma once
// What the tables of 3.13 to 3.15 have in common, whatever the order of their fields. For layouts/*.cpp only.

#include <cstring>

#include "symbolizer/python/debug_offsets.h"

namespace hangstack::symbolizer {

/// The bytes as a table; one that is cut short fails the check.
template <typename Table>
Table table_from(std::span<const std::byte> bytes, OffsetCheck& check) {
  static_assert(sizeof(Table) <= kDebugOffsetsBytes);
  Table table{};
  check.in_struct("length", sizeof table, bytes.size());
  std::memcpy(&table, bytes.data(), bytes.size() < sizeof table ? bytes.size() : sizeof table);
  return table;
}

template <typename Table>
Layout layout_of_table(const Table& t) {
  Layout l;
  l.frame_source = FrameSource::current_frame;
  l.instruction = InstructionKind::pointer;
  l.line_table = LineTableKind::locations;
  l.free_threaded = t.head.free_threaded != 0;
  l.runtime.interpreters_head = t.head.interpreters_head;
  l.runtime.finalizing = t.head.finalizing;
  l.interpreter.next = t.interpreter.next;
  l.interpreter.id = t.interpreter.id;
  l.interpreter.threads_head = t.interpreter.threads_head;
  l.interpreter.modules = t.interpreter.imports_modules;
  l.interpreter.gil = t.interpreter.ceval_gil;
  l.interpreter.gc_collecting = t.interpreter.gc + t.gc.collecting;
  // The table counts these two from the interpreter's start, and `enabled` from the GIL's.
  l.gil.last_holder = t.interpreter.gil_holder - t.interpreter.gil;
  l.gil.locked = t.interpreter.gil_locked - t.interpreter.gil;
  if (l.free_threaded) l.gil.enabled = t.interpreter.gil_enabled;
  l.thread.size = t.thread.size;
  l.thread.previous = t.thread.prev;
  l.thread.next = t.thread.next;
  l.thread.interpreter = t.thread.interp;
  l.thread.thread_id = t.thread.thread_id;
  l.thread.native_thread_id = t.thread.native_thread_id;
  l.thread.frame = t.thread.current_frame;
  l.frame.previous = t.frame.previous;
  l.frame.code = t.frame.executable;
  l.frame.instruction = t.frame.instr_ptr;
  l.frame.locals = t.frame.localsplus;
  l.frame.owner = t.frame.owner;
  l.frame.shim_owner = 3;  // FRAME_OWNED_BY_CSTACK in 3.13, FRAME_OWNED_BY_INTERPRETER from 3.14 on
  l.code.first_line = t.code.firstlineno;
  l.code.file_name = t.code.filename;
  l.code.name = t.code.name;
  l.code.qualified_name = t.code.qualname;
  l.code.line_table = t.code.linetable;
  l.code.instructions = t.code.co_code_adaptive;
  l.object.type = t.object.ob_type;
  l.object.type_name = t.type.tp_name;
  l.object.bytes_size = t.bytes.ob_size;
  l.object.bytes_data = t.bytes.ob_sval;
  l.object.text_length = t.text.length;
  l.object.text_state = t.text.state;
  l.object.ascii_size = t.text.ascii_size;
  l.object.compact_size = t.text.ascii_size + 16;  // PyCompactUnicodeObject adds a length and a pointer
  l.object.dict_keys = t.dict.ma_keys;
  l.object.dict_values = t.dict.ma_values;
  return l;
}

template <typename Table>
void check_table_layout(const Layout& layout, const Table& t, OffsetCheck& check) {
  check_layout(layout,
               {.runtime = t.head.runtime_size,
                .interpreter = t.interpreter.size,
                .thread = t.thread.size,
                .frame = t.frame.size,
                .code = t.code.size,
                .type = t.type.size,
                .dict = t.dict.size,
                .bytes = t.bytes.size,
                .text = t.text.size},
               check);
}

}  // namespace hangstack::symbolizer
