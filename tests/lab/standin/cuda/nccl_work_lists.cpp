// The work of NCCL 2.20 and 2.21: each block has a list of works in the communicator's ring. No GPU reads the ring
// here, so nothing is acknowledged: a communicator comes to its end after as many works as the ring holds (65,536).
#include <nccl_layout.h>

#include "tests/lab/standin/cuda/nccl_work.h"

#ifdef HANGSTACK_LAB_WORK_LISTS

#include <bit>
#include <map>
#include <set>
#include <tuple>

#include "tests/lab/standin/cuda/foreign_field.h"

namespace hangstack::standin {
namespace {

/// The parts of one transfer lie on several channels: they are summed up, and so are two transfers between the same
/// ranks.
using Bytes = std::map<std::pair<int, int>, uint64_t>;
/// A collective lies on every one of its channels: told apart by function, root, buffers and count.
using Collectives = std::set<std::tuple<unsigned, unsigned, const void*, const void*, uint64_t>>;

int peer_of(const char* element) {
  // A signed field of 30 bits.
  return static_cast<int>(read<uint32_t>(element, layout::kP2p_peer) << 2) >> 2;
}

void decode_transfers(const char* work, int rank, Bytes& into) {
  for (unsigned long i = 0; i < layout::kWork_p2pCount; ++i) {
    const char* element = work + layout::kWork_elements_p2p + i * layout::kP2p_size;
    const auto type = read<uint8_t>(element, layout::kP2p_type);
    const uint64_t bytes =
        uint64_t{read<uint32_t>(element, layout::kP2p_countHi)} << 32 | read<uint32_t>(element, layout::kP2p_countLo);
    if (type == layout::kP2p_send) into[{rank, peer_of(element)}] += bytes;
    if (type == layout::kP2p_recv) into[{peer_of(element), rank}] += bytes;
  }
}

void decode_collectives(const char* work, bool registered, Collectives& into) {
  const unsigned long count = registered ? layout::kWork_regCount : layout::kWork_collCount;
  const unsigned long first = registered ? layout::kWork_elements_reg : layout::kWork_elements_coll;
  const unsigned long size = registered ? layout::kReg_size : layout::kColl_size;
  for (unsigned long i = 0; i < count; ++i) {
    const char* element = work + first + i * size;
    if ((read<uint8_t>(element, layout::kColl_flags) & 1) == 0) continue;  // isUsed
    into.insert({read<uint16_t>(work, layout::kWork_function), read<uint32_t>(element, layout::kColl_root),
                 read<const void*>(element, layout::kColl_sendbuff), read<const void*>(element, layout::kColl_recvbuff),
                 read<uint64_t>(element, layout::kColl_count)});
  }
}

}  // namespace

std::optional<Communicator> communicator_in(const Arguments& arguments) {
  if (!arguments.parameters) return std::nullopt;
  // The first argument is taken from the communicator itself, so its address tells where that lies.
  const auto* device_side = static_cast<const char*>(arguments.parameters[0]);
  const char* communicator = device_side - layout::kComm_devComm;
  const char* device_communicator = read<const char*>(device_side, 0);
  return Communicator{read<uint64_t>(communicator, layout::kComm_commHash), read<int>(communicator, layout::kComm_rank),
                      read<int>(communicator, layout::kComm_nRanks),
                      read<const volatile uint32_t*>(device_communicator, layout::kDeviceComm_abortFlag)};
}

Work work_in(const Arguments& arguments, int rank) {
  const auto channels = read<uint64_t>(static_cast<const char*>(arguments.parameters[1]), 0);
  const auto* works = read<const char*>(static_cast<const char*>(arguments.parameters[2]), 0);
  Bytes bytes;
  Collectives collectives;
  for (int block = 0; block < std::popcount(channels); ++block) {
    for (long index = block;; index = read<int32_t>(works + index * layout::kWork_size, layout::kWork_next)) {
      const char* work = works + index * static_cast<long>(layout::kWork_size);
      const auto type = read<uint8_t>(work, layout::kWork_type);
      if (type == layout::kWork_p2p) {
        decode_transfers(work, rank, bytes);
      } else {
        decode_collectives(work, type == layout::kWork_coll_reg, collectives);
      }
      if ((read<uint8_t>(work, layout::kWork_flags) & 1) != 0) break;  // isLast
    }
  }
  Work found;
  for (const auto& [pair, size] : bytes) found.transfers.push_back({pair.first, pair.second, size});
  for (const auto& [function, root, from, to, count] : collectives) {
    found.collectives.push_back({function, root, 0, static_cast<unsigned>(std::popcount(channels)), count});
  }
  return found;
}

}  // namespace hangstack::standin

#endif
