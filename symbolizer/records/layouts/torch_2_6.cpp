// Written by scripts/recorder-layout from the headers of PyTorch 2.6.0.

#include "symbolizer/records/recorder_layout.h"

namespace hangstack::symbolizer {

const RecorderLayout kRecorderTorch2_6{
    .torch = "2.6",
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
            .size = 392,
            .id = 0,
            .pg_id = 8,
            .pg_name = 16,
            .collective_seq_id = 32,
            .p2p_seq_id = 40,
            .op_id = 48,
            .profiling_name = 56,
            .traceback = 64,
            .time_created = 96,
            .timeout_ms = 104,
            .is_p2p = 112,
            .time_discovered_started = 128,
            .time_discovered_completed = 144,
            .input_dims = 160,
            .input_dtypes = 208,
            .output_dims = 232,
            .output_dtypes = 280,
            .sizes = 304,
            .retired = 384,
        },
    .traceback_frames = 8,
    .string_bytes = 8,
    .dimension_bytes = 8,
};

}  // namespace hangstack::symbolizer
