#pragma once
// Where the fields of PyTorch's flight recorder lie (torch/csrc/distributed/c10d/FlightRecorder.hpp; NCCLTraceBuffer in
// NCCLUtils.hpp in 2.5 and in TraceUtils.h in 2.4).

#include <cstdint>
#include <span>
#include <string_view>

namespace hangstack::symbolizer {

/// Offsets and sizes in bytes, of `FlightRecorder<Event>` and its `Entry`; the kind of event does not matter. 0 for
/// `all_pg_status` and `timeout_ms`: this version has none.
struct RecorderLayout {
  std::string_view torch;  ///< the first PyTorch that has it: "2.15"
  std::uint32_t size, enabled, entries, max_entries, next, id, all_pg_status, pg_name_to_ranks;
  struct Entry {
    std::uint32_t size, id, pg_id, pg_name, collective_seq_id, p2p_seq_id, op_id, profiling_name, traceback,
        time_created, timeout_ms, is_p2p, time_discovered_started, time_discovered_completed, input_dims, input_dtypes,
        output_dims, output_dtypes, sizes, retired;
  } entry;
  std::uint32_t traceback_frames;  ///< the vector of Python frames in a torch::CapturedTraceback
  std::uint32_t string_bytes;      ///< of a std::string: 8 before GCC 5's ABI, which PyPI's wheels have up to 2.6
  std::uint32_t dimension_bytes;   ///< of an element of `input_dims` and `output_dims`
};

/// One per file in layouts/, newest first. A recorder is tried with each: its own bytes say which one is right.
std::span<const RecorderLayout* const> recorder_layouts();

extern const RecorderLayout kRecorderTorch2_15;
extern const RecorderLayout kRecorderTorch2_8;
extern const RecorderLayout kRecorderTorch2_7;
extern const RecorderLayout kRecorderTorch2_6;
extern const RecorderLayout kRecorderTorch2_5;
extern const RecorderLayout kRecorderTorch2_4;

}  // namespace hangstack::symbolizer
