#pragma once
// Dumps of PyTorch's flight recorder (torch/csrc/distributed/c10d/FlightRecorder.hpp and FlightRecorderDetail.hpp, 2.5
// to 2.15; NCCLTraceBuffer in TraceUtils.h before): the pickles that a rank writes on a timeout or on request, and the
// JSON of _dump_nccl_trace_json() and _dump_fr_trace_json(); with all entries or the active ones, with frames or not.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/error.h"
#include "model/records.h"

namespace hangstack::ingest {

struct FlightRecorderDump {
  std::string version;  ///< of the format, which PyTorch counts: "2.9"
  /// As the reader of memory gives it: the operations that `worth_telling` picks, the groups, and their status with the
  /// group's name where the dump tells it. "retired" and the times say whether an operation is over; the dump's "state"
  /// stays "scheduled" where nobody asked. `recorded` and `forgot` are what the ids of the entries show.
  model::FlightRecorder recorder;
  std::int64_t latest_unix_ns = 0;  ///< the last time in it: it was written later; 0: it holds none
  std::optional<int> rank;          ///< the only one that is a member of all groups
  std::optional<int> world_size;    ///< members of the default group
};

/// `malformed_input` if it is no such dump, cut off or damaged: with the byte or line. Entries that make no sense are
/// an error of the whole, but for fields that a version does not write.
model::Expected<FlightRecorderDump> read_flight_recorder_dump(std::string_view bytes);

/// Gives each status the name of its group: by the operations, which have number and name, and where both the groups'
/// numbers and their names count up in the order of creation, by that order, as far as the operations do not disagree.
void name_status(model::FlightRecorder& recorder);

}  // namespace hangstack::ingest
