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

/// What a kernel was launched with: one buffer (NCCL from 2.22 on), or a pointer to each argument.
struct Arguments {
  const char* buffer = nullptr;
  const void* const* parameters = nullptr;
};

/// The communicator that an ncclDevKernel_* works for; nullopt when libnccl knows none.
std::optional<Communicator> communicator_in(const Arguments& arguments);

/// Decodes what an ncclDevKernel_* was launched to do. Where the fields lie is from the DWARF of the libnccl in use:
/// ncclDevKernelArgs (2.24 to 2.32) or ncclWork (2.20, 2.21).
Work work_in(const Arguments& arguments, int rank);

}  // namespace hangstack::standin
