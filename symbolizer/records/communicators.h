#pragma once
// NCCL's communicators of a process: libnccl lists them for its RAS thread (ncclComms, nNcclComms in src/ras/ras.cc of
// 2.24 on), and its own DWARF says where the fields of a communicator lie.

#include <span>
#include <string>
#include <vector>

#include "model/communicators.h"
#include "model/memory_reader.h"
#include "symbolizer/native/process_modules.h"

namespace hangstack::symbolizer {

/// One libnccl in the process.
struct NcclPlace {
  std::string name;            ///< of its file
  std::string absent_reason;   ///< why its list cannot be found; empty: it can
  model::RemoteAddress list;   ///< of ncclComms
  model::RemoteAddress count;  ///< of nNcclComms
  StructMembers members;       ///< of ncclComm
};

/// libnccl.so.*, and a libtorch_cuda.so that NCCL is linked into. Opens files.
std::vector<NcclPlace> find_nccl_places(ProcessModules& modules);

/// What each of them lists. A pointer behind which no communicator lies (by the magic numbers at its two ends) is left
/// out; a list of nothing else is `failed`.
std::vector<model::NcclLibrary> read_communicators(std::span<const NcclPlace> places, model::MemoryReader& memory);

}  // namespace hangstack::symbolizer
