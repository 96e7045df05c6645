// CPython 3.12; offsets from the debug information of 3.12.1.

#include "symbolizer/python/layout.h"

namespace hangstack::symbolizer {

Layout layout_3_12() {
  Layout l;
  l.minor = 12;
  l.frame_source = FrameSource::cframe_shim;
  l.instruction = InstructionKind::pointer;
  l.line_table = LineTableKind::locations;
  l.runtime = {.interpreters_head = 40, .finalizing = 24, .tstate_current = {}, .gil = {}};
  l.interpreter = {.next = 0,
                   .id = 8,
                   .threads_head = 72,
                   .modules = 944,
                   .sys_dict = 352,
                   .gil = 384,
                   .gc_collecting = 312,
                   .eval_frame = 1744};
  l.thread = {.size = 288,
              .previous = 0,
              .next = 8,
              .interpreter = 16,
              .thread_id = 136,
              .native_thread_id = 144,
              .frame = 56,
              .cframe = {},
              .base_frame = {},
              .gil_requested = {}};
  l.cframe = {.current_frame = 0, .previous = 8};
  l.frame.previous = 8;
  l.frame.code = 0;
  l.frame.instruction = 56;
  l.frame.locals = 72;
  l.frame.owner = 70;
  l.frame.shim_owner = 3;  // FRAME_OWNED_BY_CSTACK
  l.code = {.first_line = 68,
            .file_name = 112,
            .name = 120,
            .qualified_name = 128,
            .line_table = 136,
            .instructions = 192,
            .tlbc = {}};
  l.object.ascii_size = 40;
  l.object.compact_size = 56;
  l.object.type_cached_keys = 880;
  return l;
}

}  // namespace hangstack::symbolizer
