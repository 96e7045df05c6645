// CPython 3.9; offsets from the debug information of 3.9.18.

#include "symbolizer/python/layout.h"

namespace hangstack::symbolizer {

Layout layout_3_9() {
  Layout l = layout_3_8();  // frames, code objects and thread states did not change
  l.minor = 9;
  l.runtime = {.interpreters_head = 32, .finalizing = 16, .tstate_current = 568, .gil = 352};
  l.interpreter = {.next = 0,
                   .id = 24,
                   .threads_head = 8,
                   .modules = 856,
                   .sys_dict = 872,
                   .gil = {},
                   .gc_collecting = 816,
                   .eval_frame = 1400};
  return l;
}

}  // namespace hangstack::symbolizer
