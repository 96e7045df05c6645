// Written by scripts/recorder-layout from the headers of PyTorch 2.7.1.

#include "symbolizer/records/recorder_layout.h"

namespace hangstack::symbolizer {

const RecorderLayout kRecorderTorch2_7{
    .torch = "2.7",
    .size = 192,
    .enabled = 0,
    .entries = 48,
    .max_entries = 72,
    .next = 80,
    .id = 88,
    .all_pg_status = 96,
    .pg_name_to_ranks = 144,
    .entry =
        {
            .size = 464,
            .id = 0,
            .pg_id = 8,
            .pg_name = 16,
            .collective_seq_id = 80,
            .p2p_seq_id = 88,
            .op_id = 96,
            .profiling_name = 104,
            .traceback = 136,
            .time_created = 168,
            .timeout_ms = 176,
            .is_p2p = 184,
            .time_discovered_started = 200,
            .time_discovered_completed = 216,
            .input_dims = 232,
            .input_dtypes = 280,
            .output_dims = 304,
            .output_dtypes = 352,
            .sizes = 376,
            .retired = 456,
        },
    .traceback_frames = 8,
    .string_bytes = 32,
    .dimension_bytes = 8,
};

}  // namespace hangstack::symbolizer
