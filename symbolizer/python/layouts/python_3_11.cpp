// CPython 3.11; offsets from the debug information of 3.11.7.

#include "symbolizer/python/layout.h"

namespace hangstack::symbolizer {

Layout layout_3_11() {
  Layout l;
  l.minor = 11;
  l.frame_source = FrameSource::cframe_entry;
  l.instruction = InstructionKind::pointer;
  l.line_table = LineTableKind::locations;
  l.runtime = {.interpreters_head = 40, .finalizing = 24, .tstate_current = 576, .gil = 360};
  l.interpreter = {.next = 0,
                   .id = 48,
                   .threads_head = 16,
                   .modules = 888,
                   .sys_dict = 904,
                   .gil = {},
                   .gc_collecting = 848,
                   .eval_frame = 1424};
  l.thread = {.size = 360,
              .previous = 0,
              .next = 8,
              .interpreter = 16,
              .thread_id = 152,
              .native_thread_id = 160,
              .frame = 56,
              .cframe = {},
              .base_frame = {},
              .gil_requested = {}};
  l.cframe = {.current_frame = 8, .previous = 16};
  l.frame.previous = 48;
  l.frame.code = 32;
  l.frame.instruction = 56;
  l.frame.locals = 72;
  l.frame.is_entry = 68;
  l.frame.owner = 69;
  l.code = {.first_line = 72,
            .file_name = 112,
            .name = 120,
            .qualified_name = 128,
            .line_table = 136,
            .instructions = 184,
            .tlbc = {}};
  l.object.type_cached_keys = 872;
  return l;
}

}  // namespace hangstack::symbolizer
