#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace hangstack::standin {

/// A communicator of libnccl, as one of its ranks sees it.
struct Communicator {
  uint64_t hash = 0;  ///< equal on all its ranks
  int rank = 0;
  int ranks = 0;
  const volatile uint32_t* abort_flag = nullptr;
};

struct Collective {
  unsigned function = 0;  ///< the index in NCCL's table of device functions: operation, reduction, type, algorithm
  unsigned root = 0;
  unsigned first_channel = 0;
  unsigned last_channel = 0;
  uint64_t elements = 0;  ///< bytes, where NCCL counts bytes: in all-gather and broadcast
};

/// One direction of a point-to-point work.
struct Transfer {
  int sender = 0;
  int receiver = 0;
  uint64_t bytes = 0;
};

/// What one NCCL kernel was launched to do.
struct Work {
  std::vector<Collective> collectives;
  std::vector<Transfer> transfers;
};

/// The communicator whose device side lies at `device_communicator`, found in libnccl's own list of communicators.
std::optional<Communicator> communicator_of(const void* device_communicator);

/// The pointer to the device side of the communicator in a kernel's arguments.
const void* device_communicator_in(const char* arguments);

/// Decodes the arguments of an ncclDevKernel_*; see ncclDevKernelArgs in the DWARF of libnccl 2.27 and 2.30.
Work work_in(const char* arguments, int rank);

}  // namespace hangstack::standin
