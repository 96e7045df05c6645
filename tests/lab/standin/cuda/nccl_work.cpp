#include "tests/lab/standin/cuda/nccl_work.h"

#include <nccl_layout.h>

#ifndef HANGSTACK_LAB_WORK_LISTS  // nccl_work_lists.cpp then

#include <bit>
#include <set>

#include "tests/lab/standin/cuda/foreign_field.h"
#include "tests/lab/standin/cuda/nccl_image.h"

namespace hangstack::standin {
namespace {

unsigned bits(uint32_t word, unsigned long shift, unsigned long count) { return (word >> shift) & ((1u << count) - 1); }

const char* buffer_of(const Arguments& arguments) {
  return arguments.buffer ? arguments.buffer : static_cast<const char*>(arguments.parameters[0]);
}

size_t size_of_work(unsigned type) {
  if (type == layout::kWork_p2p) return layout::kP2p_size;
  if (type == layout::kWork_bcast) return layout::kBcast_size;
  return type == layout::kWork_coll ? layout::kColl_size : layout::kCollReg_size;
}

uint64_t elements_of(const char* work, unsigned first, unsigned last) {
  const auto low = read<uint64_t>(work, layout::kColl_countLo);
  if (last <= first) return low;
  return low + (last - first - 1) * read<uint64_t>(work, layout::kColl_countMid) +
         read<uint64_t>(work, layout::kColl_countHi);
}

void decode(const char* work, unsigned type, unsigned function, int rank, Work& into) {
  if (type == layout::kWork_p2p) {
    // A work has both directions; the one that nobody asked for has no bytes.
    const auto sent = read<uint64_t>(work, layout::kP2p_sendBytes);
    const auto received = read<uint64_t>(work, layout::kP2p_recvBytes);
    if (sent != 0) into.transfers.push_back({rank, read<int>(work, layout::kP2p_sendRank), sent});
    if (received != 0) into.transfers.push_back({read<int>(work, layout::kP2p_recvRank), rank, received});
  } else if (type == layout::kWork_coll || type == layout::kWork_coll_reg) {
    // The work of registered buffers starts with the plain one.
    const unsigned first = read<uint8_t>(work, layout::kColl_channelLo);
    const unsigned last = read<uint8_t>(work, layout::kColl_channelHi);
    into.collectives.push_back(
        {function, read<uint32_t>(work, layout::kColl_root), first, last, elements_of(work, first, last)});
  } else if (type == layout::kWork_bcast) {
    // Many broadcasts in one kernel. Each rank lists them in an order of its own: what all agree on is the sum.
    if (into.collectives.empty()) into.collectives.push_back({function, 0, 0, 0, 0});
    into.collectives.front().elements += read<uint64_t>(work, layout::kBcast_bytes);
  }
}

}  // namespace

std::optional<Communicator> communicator_in(const Arguments& arguments) {
  const void* device_communicator = read<const void*>(buffer_of(arguments), layout::kArgs_comm);
  const NcclImage* image = nccl_image();
  const ImageSymbol* list = image ? image->named("ncclComms") : nullptr;
  const ImageSymbol* count = image ? image->named("nNcclComms") : nullptr;
  if (!list || !count) return std::nullopt;
  const char* const* communicators = *reinterpret_cast<const char* const* const*>(list->address);
  const int known = *reinterpret_cast<const int*>(count->address);
  for (int i = 0; i < known; ++i) {
    const char* communicator = communicators[i];
    if (!communicator || read<const void*>(communicator, layout::kComm_devComm) != device_communicator) continue;
    const auto* device_side = static_cast<const char*>(device_communicator);
    return Communicator{read<uint64_t>(communicator, layout::kComm_commHash),
                        read<int>(communicator, layout::kComm_rank), read<int>(communicator, layout::kComm_nRanks),
                        read<const volatile uint32_t*>(device_side, layout::kDeviceComm_abortFlag)};
  }
  return std::nullopt;
}

Work work_in(const Arguments& launched, int rank) {
  const char* arguments = buffer_of(launched);
  const char* batches = arguments + layout::kArgs_size;
  const bool in_arguments = read<uint8_t>(arguments, layout::kArgs_workStorageType) == layout::kStorage_args;
  const char* storage = in_arguments ? arguments : read<const char*>(arguments, layout::kArgs_workBuf);
  const uint32_t mask = in_arguments ? ~uint32_t{0} : read<uint32_t>(arguments, layout::kArgs_workMask);
  const int blocks = std::popcount(read<uint64_t>(arguments, layout::kArgs_channelMask));
  std::set<const char*> seen;  // every channel of a collective has its own batch with the same work
  Work found;
  for (int block = 0; block < blocks; ++block) {
    unsigned jump = 0;
    for (int index = block;; index += static_cast<int>(jump)) {
      const char* batch = batches + index * layout::kBatch_size;
      const auto flags = read<uint32_t>(batch, layout::kBatch_flags);
      const auto base = read<uint32_t>(batch, layout::kBatch_offsetBase);
      const unsigned type = bits(flags, layout::kBatch_workType_shift, layout::kBatch_workType_bits);
      const unsigned function = bits(flags, layout::kBatch_funcId_shift, layout::kBatch_funcId_bits);
      const auto set = read<uint64_t>(batch, layout::kBatch_offsetBitset);
      for (int bit = 0; bit < 64; ++bit) {
        if (!(set >> bit & 1)) continue;
        const char* work = storage + ((base + bit * static_cast<uint32_t>(size_of_work(type))) & mask);
        if (seen.insert(work).second) decode(work, type, function, rank, found);
      }
      jump = bits(flags, layout::kBatch_nextJump_shift, layout::kBatch_nextJump_bits);
      if (jump == 0) break;
    }
  }
  return found;
}

}  // namespace hangstack::standin

#endif
