#pragma once

namespace hangstack::standin {

/// libnccl has a CUDA runtime of its own inside. Once libnccl is loaded, makes each public function of it jump to this
/// library's function of the same name, or to one that answers "not supported". Quick when that has been done.
void divert_nccl();

}  // namespace hangstack::standin
