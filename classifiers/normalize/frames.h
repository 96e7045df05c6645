#pragma once
// What kind of code a frame is: the user's, a library's, or plumbing that says nothing about a hang.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "classifiers/normalize/names.h"
#include "model/file_path.h"
#include "model/snapshot.h"

namespace hangstack::classifiers {

using model::Origin;
using model::origin_of;

/// A library or executable that holds a CPython interpreter, by file name (libpython3.12.so.1.0, python3.11).
bool is_python_module(std::string_view module_path);

/// A thread with the canonical names of its frames and the place where it left the user's code.
/// Points into the thread and the name table; both must outlive it.
struct ThreadView {
  const model::Thread* thread = nullptr;
  std::vector<std::string_view> names;   ///< per frame; Python frames keep their qualified name
  std::optional<std::size_t> call_site;  ///< innermost Python frame of the user; else of a package other than torch
  std::size_t inner_end = 0;             ///< frames [0, inner_end) ran below the call site; all frames if there is none

  [[nodiscard]] const model::Frame& frame(std::size_t i) const { return thread->frames[i]; }
  [[nodiscard]] bool is_python(std::size_t i) const { return frame(i).kind == model::FrameKind::python; }
  [[nodiscard]] bool has_python() const;
  [[nodiscard]] bool has_user_code() const;
};

ThreadView view_of(const model::Thread& thread, NameTable& names);

/// C library and C++ runtime functions in which a thread waits: they say how, not what for.
bool is_wait_plumbing(std::string_view canonical, std::string_view module);

/// The outermost frames of every thread: `_start`, `start_thread`, `clone3`...
bool is_start_plumbing(std::string_view canonical, std::string_view module);

/// CPython's own frames and the binding layers (pybind11, the c10 dispatcher) between Python and a library.
bool is_interpreter_plumbing(std::string_view canonical, std::string_view module);

/// Libraries that wait on behalf of a program: torch, c10, gloo, NCCL, MPI, CUDA, the C and C++ runtime.
bool is_service_module(std::string_view module);

/// The innermost frame that is not wait plumbing: who waits. None if there is no such frame.
std::optional<std::size_t> waiting_owner(const ThreadView& view);

}  // namespace hangstack::classifiers
