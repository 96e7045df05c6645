#pragma once
// NCCL's communicators as a process holds them, read from its memory.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/records.h"

namespace hangstack::model {

/// The collectives that NCCL counts (ncclFunc_t below NCCL_NUM_FUNCTIONS, src/include/nccl_common.h of 2.24 to 2.30).
inline constexpr std::array<std::string_view, 5> kNcclCollectives{"Broadcast", "Reduce", "AllGather", "ReduceScatter",
                                                                  "AllReduce"};

/// One rank's side of a communicator.
struct Communicator {
  std::uint64_t hash = 0;  ///< equal on all its ranks
  std::string name;        ///< that the program gave it; empty: none
  std::int32_t rank = 0;   ///< in the communicator
  std::int32_t ranks = 0;
  std::int32_t device = 0;   ///< CUDA's index of it in the process
  std::uint64_t bus_id = 0;  ///< PCI
  std::array<std::uint64_t, kNcclCollectives.size()>
      launched{};                ///< kernels so far; sends and receives are not counted
  std::int32_t async_error = 0;  ///< ncclResult_t: 0 none, 7 in progress
  std::int32_t init_state = 0;   ///< likewise
  bool aborted = false;
  bool destroyed = false;  ///< its destruction has begun
  bool finalized = false;
  std::uint64_t launched_of_any_kind = 0;  ///< beside those: collectives whose kind was not told; never in memory

  [[nodiscard]] std::uint64_t launched_in_all() const;
  /// Nothing is carried out on it any more.
  [[nodiscard]] bool given_up() const { return aborted || destroyed || finalized; }
  friend bool operator==(const Communicator&, const Communicator&) = default;
};

/// One libnccl of the process, with the communicators that it lists.
struct NcclLibrary {
  RecordStatus status = RecordStatus::absent;
  std::string reason;  ///< why it is not ok
  std::string name;    ///< of its file
  std::vector<Communicator> communicators;

  friend bool operator==(const NcclLibrary&, const NcclLibrary&) = default;
};

}  // namespace hangstack::model
