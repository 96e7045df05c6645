// CPython 3.8; offsets from the debug information of 3.8.18.

#include "symbolizer/python/layout.h"

namespace hangstack::symbolizer {

Layout layout_3_8() {
  Layout l;
  l.minor = 8;
  l.frame_source = FrameSource::frame_object;
  l.instruction = InstructionKind::byte_index;
  l.line_table = LineTableKind::lnotab;
  l.runtime = {.interpreters_head = 32, .finalizing = 16, .tstate_current = 1368, .gil = 1152};
  l.interpreter = {.next = 0,
                   .id = 16,
                   .threads_head = 8,
                   .modules = 56,
                   .sys_dict = 72,
                   .gil = {},
                   .gc_collecting = {},  // in the runtime until 3.9
                   .eval_frame = 568};
  l.thread = {.size = 264,
              .previous = 0,
              .next = 8,
              .interpreter = 16,
              .thread_id = 176,
              .native_thread_id = {},
              .frame = 24,
              .cframe = {},
              .base_frame = {},
              .gil_requested = {}};
  l.frame.previous = 24;
  l.frame.code = 32;
  l.frame.instruction = 104;
  l.frame.locals = 360;
  l.code = {.first_line = 40,
            .file_name = 104,
            .name = 112,
            .qualified_name = {},
            .line_table = 120,
            .instructions = {},
            .tlbc = {}};
  return l;
}

}  // namespace hangstack::symbolizer
