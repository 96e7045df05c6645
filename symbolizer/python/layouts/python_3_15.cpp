// The table of offsets of CPython 3.15: the order of its groups and fields, as 3.15.2 has it.

#include "symbolizer/python/layouts/table_layout.h"

namespace hangstack::symbolizer {
namespace {

struct Table {
  DebugOffsetsHead head;
  struct {
    std::uint64_t size, id, next, threads_head, threads_main, gc, imports_modules, sysdict, builtins, ceval_gil, gil,
        gil_enabled, gil_locked, gil_holder, code_object_generation, tlbc_generation;
  } interpreter;
  struct {
    std::uint64_t size, prev, next, interp, current_frame, base_frame, last_profiled_frame, last_profiled_frame_seq,
        thread_id, native_thread_id, datastack_chunk, status, holds_gil, gil_requested, current_exception, exc_state;
  } thread;
  struct {
    std::uint64_t exc_value;
  } error;
  struct {
    std::uint64_t size, previous, executable, instr_ptr, localsplus, owner, stackpointer, tlbc_index;
  } frame;
  struct {
    std::uint64_t size, filename, name, qualname, linetable, firstlineno, argcount, localsplusnames, localspluskinds,
        co_code_adaptive, co_tlbc;
  } code;
  struct {
    std::uint64_t size, ob_type;
  } object;
  struct {
    std::uint64_t size, tp_name, tp_repr, tp_flags, tp_basicsize, tp_dictoffset;
  } type;
  struct {
    std::uint64_t size, ht_cached_keys;
  } heap_type;
  struct {
    std::uint64_t size, ob_item, ob_size;
  } tuple;
  struct {
    std::uint64_t size, ob_item, ob_size;
  } list;
  struct {
    std::uint64_t size, used, table, mask;
  } set;
  struct {
    std::uint64_t size, ma_keys, ma_values;
  } dict;
  struct {
    std::uint64_t size, ob_fval;
  } floating;
  struct {
    std::uint64_t size, lv_tag, ob_digit;
  } integer;
  struct {
    std::uint64_t size, ob_size, ob_sval;
  } bytes;
  struct {
    std::uint64_t size, state, length, ascii_size, compact_size;
  } text;
  struct {
    std::uint64_t size, collecting, frame, generation_stats_size, generation_stats;
  } gc;
};

}  // namespace

Layout layout_3_15(std::span<const std::byte> table, OffsetCheck& check) {
  const auto t = table_from<Table>(table, check);
  Layout l = layout_of_table(t);
  l.minor = 15;
  l.object.type_cached_keys = t.heap_type.ht_cached_keys;
  l.thread.base_frame = t.thread.base_frame;
  l.thread.gil_requested = t.thread.gil_requested;
  l.object.compact_size = t.text.compact_size;
  l.frame.tagged_code = true;
  if (l.free_threaded) {
    l.frame.tlbc_index = t.frame.tlbc_index;
    l.code.tlbc = t.code.co_tlbc;
    l.object.text_kind_bit = 8;  // `interned` is a byte
  }
  check_table_layout(l, t, check);
  return l;
}

}  // namespace hangstack::symbolizer
