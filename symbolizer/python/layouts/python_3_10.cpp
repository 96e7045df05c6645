// CPython 3.10; offsets from the debug information of 3.10.13.

#include "symbolizer/python/layout.h"

namespace hangstack::symbolizer {

Layout layout_3_10() {
  Layout l = layout_3_9();
  l.minor = 10;
  l.frame_source = FrameSource::frame_object_counted;
  l.instruction = InstructionKind::unit_index;
  l.line_table = LineTableKind::linetable;
  l.interpreter.eval_frame = 1368;
  l.thread.size = 280;
  l.thread.cframe = 48;
  l.cframe.previous = 8;
  l.frame.instruction = 96;
  l.frame.locals = 352;
  return l;
}

}  // namespace hangstack::symbolizer
