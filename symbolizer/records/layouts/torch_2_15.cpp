// Written by scripts/recorder-layout from the headers of PyTorch 2.15.0.

#include "symbolizer/records/recorder_layout.h"

namespace hangstack::symbolizer {

const RecorderLayout kRecorderTorch2_15{
    .torch = "2.15",
    .size = 296,
    .enabled = 0,
    .entries = 48,
    .max_entries = 72,
    .next = 80,
    .id = 88,
    .all_pg_status = 160,
    .pg_name_to_ranks = 208,
    .entry =
        {
            .size = 512,
            .id = 0,
            .pg_id = 16,
            .pg_name = 24,
            .collective_seq_id = 88,
            .p2p_seq_id = 96,
            .op_id = 104,
            .profiling_name = 112,
            .traceback = 144,
            .time_created = 176,
            .timeout_ms = 184,
            .is_p2p = 192,
            .time_discovered_started = 208,
            .time_discovered_completed = 224,
            .input_dims = 240,
            .input_dtypes = 288,
            .output_dims = 312,
            .output_dtypes = 360,
            .sizes = 384,
            .retired = 504,
        },
    .traceback_frames = 8,
    .string_bytes = 32,
    .dimension_bytes = 8,
};

}  // namespace hangstack::symbolizer
