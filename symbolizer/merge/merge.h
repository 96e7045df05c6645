#pragma once
// One stack out of two: Python's frames are put into the native stack at the calls of the interpreter that run them.

#include <cstdint>
#include <string>
#include <vector>

#include "model/snapshot.h"
#include "symbolizer/python/python.h"

namespace hangstack::symbolizer {

/// One physical frame of the native stack.
struct NativeFrame {
  std::vector<model::Frame> levels;  ///< inlined functions innermost first, then the real function; never empty
  /// Where its stack frame lies: [stack pointer, CFA). Equal or zero when the CFA is not known.
  std::uint64_t stack_begin = 0;
  std::uint64_t stack_end = 0;
  bool is_eval = false;  ///< its function is the interpreter's eval function (see is_eval_function)
};

struct NativeStack {
  std::vector<NativeFrame> frames;  ///< innermost first
  bool complete = false;            ///< it reaches the outermost frame
};

/// By name, with compilers' suffixes (".cold", ".localalias", ".lto_priv.0"): "_PyEval_EvalFrameDefault". Its wrappers
/// (_PyEval_Vector, _PyEval_EvalFrame) are not meant.
bool is_eval_function(const std::string& symbol);

/// All frames of both, innermost first. A group of Python frames comes right before (inside) the native frame of the
/// eval call that runs it:
/// - with anchors (3.10 on), the frame whose stack range holds the anchor; no symbol is needed for that;
/// - without (3.9 and earlier), the frames marked `is_eval`, one for each Python frame, counted from the outermost
///   frame if the native stack is complete and from the innermost if it is not.
/// What cannot be placed is shown all the same, after a marker frame whose note says why. Nothing is dropped.
std::vector<model::Frame> merge(const NativeStack& native, const PythonThread& python);

}  // namespace hangstack::symbolizer
