#pragma once
// Which thread of a process this is, and whether it merely waits for work as in every healthy process.

#include <cstdint>
#include <string>

#include "classifiers/normalize/frames.h"

namespace hangstack::classifiers {

struct ThreadRole {
  std::string name;   ///< "main", "gloo worker", "autograd"...; empty if nothing tells
  bool idle = false;  ///< a helper that waits for work in its own loop; false for every thread that does something
};

/// From comm and frames. Names of threads: PyTorch 2.5 to 2.15 (c10::setThreadName calls), gloo 2026-01, NCCL 2.14 to
/// 2.30 with NCCL_SET_THREAD_NAME=1; loops by function for older versions. A thread in state D is never idle.
ThreadRole role_of(const ThreadView& view, std::int32_t pid);

}  // namespace hangstack::classifiers
