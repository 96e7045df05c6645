#pragma once
// Names as short as a reader at a terminal wants them. JSON and --full keep the whole.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/snapshot.h"

namespace hangstack::report {

/// `void gloo::tcp::UnboundBuffer::waitRecv<int>(long*) const` -> `UnboundBuffer::waitRecv`: the last two
/// components, without return type, template arguments, parameters, ABI tags. Any text is accepted.
std::string short_function(std::string_view function);

/// `outer.<locals>.inner` -> `outer.inner`; at most the last two components of a qualified Python name.
std::string short_python_name(std::string_view qualified);

/// The last two components of a path; of a file of Python's own or an installed package the last one.
std::string short_path(std::string_view path);

/// Frames that carry a call through the interpreter or start a thread, and tell nothing of the program:
/// `_PyEval_EvalFrameDefault`, `__libc_start_main`, `clone3`...
bool is_machinery(const model::Frame& frame);

/// One step of a chain: `train_step train.py:131`, `Work::wait`, `libcuda.so.1`. Printable.
std::string frame_label(const model::Frame& frame);

struct ChainStep {
  std::string label;
  bool python = false;
};

/// Labels of `frames`, kept in their order: machinery left out unless nothing else is there, equal neighbours
/// counted (`libcuda.so.1 ×4`).
std::vector<ChainStep> chain_steps(std::span<const model::Frame> frames);
/// The same of a thread's frames, outermost first.
std::vector<ChainStep> chain_steps(const model::Thread& thread);

}  // namespace hangstack::report
