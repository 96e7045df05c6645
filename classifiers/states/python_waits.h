#pragma once
// What a thread is in by the Python library frames below its call site.

#include <optional>
#include <string>

#include "classifiers/normalize/frames.h"
#include "classifiers/states/state.h"

namespace hangstack::classifiers {

/// The title of a wait for requests from outside the job.
inline constexpr std::string_view kServerLoop = "server loop";

struct PythonWait {
  StateKind kind = StateKind::unknown;
  std::string title;  ///< what the user called: "queue.get", "next batch"
};

/// The outermost library frame that the table knows decides: `queue.get` inside the dataloader is a dataloader wait.
/// But the lock of a build inside a compile is a wait for that lock. Files and functions of CPython 3.8 to 3.14 and
/// torch 1.13 to 2.15. None if no frame is known.
std::optional<PythonWait> python_wait_of(const ThreadView& view);

}  // namespace hangstack::classifiers
