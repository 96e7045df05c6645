// The table of offsets of CPython 3.13: the order of its groups and fields, as 3.13.0 has it.

#include "symbolizer/python/layouts/table_layout.h"

namespace hangstack::symbolizer {
namespace {

struct Table {
  DebugOffsetsHead head;
  struct {
    std::uint64_t size, id, next, threads_head, gc, imports_modules, sysdict, builtins, ceval_gil, gil, gil_enabled,
        gil_locked, gil_holder;
  } interpreter;
  struct {
    std::uint64_t size, prev, next, interp, current_frame, thread_id, native_thread_id, datastack_chunk, status;
  } thread;
  struct {
    std::uint64_t size, previous, executable, instr_ptr, localsplus, owner;
  } frame;
  struct {
    std::uint64_t size, filename, name, qualname, linetable, firstlineno, argcount, localsplusnames, localspluskinds,
        co_code_adaptive;
  } code;
  struct {
    std::uint64_t size, ob_type;
  } object;
  struct {
    std::uint64_t size, tp_name, tp_repr, tp_flags;
  } type;
  struct {
    std::uint64_t size, ob_item, ob_size;
  } tuple;
  struct {
    std::uint64_t size, ob_item, ob_size;
  } list;
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
    std::uint64_t size, state, length, ascii_size;
  } text;
  struct {
    std::uint64_t size, collecting;
  } gc;
};

}  // namespace

Layout layout_3_13(std::span<const std::byte> table, OffsetCheck& check) {
  const auto t = table_from<Table>(table, check);
  Layout l = layout_of_table(t);
  l.minor = 13;
  l.object.type_cached_keys = 880;  // not in the table
  check_table_layout(l, t, check);
  return l;
}

}  // namespace hangstack::symbolizer
