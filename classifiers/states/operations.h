#pragma once
// Communication operations by the names that PyTorch, gloo, NCCL and MPI give them.

#include <optional>
#include <string>

#include "classifiers/normalize/frames.h"
#include "classifiers/states/state.h"

namespace hangstack::classifiers {

struct Operation {
  StateKind kind = StateKind::collective;
  std::string name;    ///< as torch.distributed calls it: "all_reduce", "recv", "init_process_group"; empty: not known
  std::string detail;  ///< where in it: "in the c10d store", "communicator setup"; empty if plainly waiting

  friend bool operator==(const Operation&, const Operation&) = default;
};

/// The operation that the thread is in below its call site. Python's names first (exported by every version), then
/// native ones: c10d (torch 1.13 to 2.15), gloo, NCCL's and MPI's API. None if there is no such frame.
std::optional<Operation> operation_of(const ThreadView& view);

/// The operation that a gloo worker thread carries out: `ProcessGroupGloo::runLoop > AsyncAllreduceWork > ...`.
/// With a stripped libtorch the name is empty. None for an idle worker and for every other thread.
std::optional<Operation> gloo_worker_operation(const ThreadView& view);

}  // namespace hangstack::classifiers
