#pragma once

#include <memory>

#include "tests/lab/standin/cuda/device.h"
#include "tests/lab/standin/cuda/nccl_work.h"

namespace hangstack::standin {

/// The operation that stands for the launch of `function`, the host's side of a kernel of libnccl, with `arguments`. It
/// meets its peers in the shared table, moves no data, and obeys `control()`. nullptr when `function` is no
/// ncclDevKernel_* or its communicator is unknown: then the kernel takes no time.
std::unique_ptr<Operation> nccl_kernel(const void* function, const Arguments& arguments);

}  // namespace hangstack::standin
