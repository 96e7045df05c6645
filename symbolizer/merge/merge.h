#pragma once
// One stack out of two: Python's frames are put into the native stack at the calls of the interpreter that run them.

#include <cstdint>
#include <utility>
#include <vector>

#include "model/snapshot.h"
#include "symbolizer/named_stack.h"
#include "symbolizer/native/process_modules.h"
#include "symbolizer/python/python.h"

namespace hangstack::symbolizer {

/// Tells the eval function's frames from others: by name, or by the place that the interpreters themselves say.
class EvalFunctions {
 public:
  /// Asks call frame information for the extent of the functions at `addresses`.
  EvalFunctions(const std::vector<std::uint64_t>& addresses, ProcessModules& modules);
  /// By name only.
  EvalFunctions() = default;

  /// Wrappers of the eval function (_PyEval_Vector, _PyEval_EvalFrame) are not meant.
  [[nodiscard]] bool contains(const NamedFrame& frame) const;

 private:
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges_;  ///< half-open, addresses in the process
};

/// All frames of both, innermost first. A group of Python frames comes right before (inside) the native frame of the
/// eval call that runs it:
/// - with anchors (3.10 on), the frame whose stack range holds the anchor; no symbol is needed for that;
/// - without (3.9 and earlier), the frames of the eval function, one for each Python frame, counted from the outermost
///   frame if the native stack is complete and from the innermost if it is not.
/// What cannot be placed is shown all the same, after a marker frame whose note says why. Nothing is dropped.
/// `complete`: the native stack reaches its outermost frame.
std::vector<model::Frame> merge(const std::vector<NamedFrame>& native, bool complete, const EvalFunctions& evals,
                                const PythonThread& python);

/// Among the innermost frames is the function that takes the GIL: the thread waits for it, or is about to have it.
bool is_taking_gil(const std::vector<NamedFrame>& native);

}  // namespace hangstack::symbolizer
