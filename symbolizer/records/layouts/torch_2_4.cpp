// Written by scripts/recorder-layout from the headers of PyTorch 2.4.1.

#include "symbolizer/records/recorder_layout.h"

namespace hangstack::symbolizer {

const RecorderLayout kRecorderTorch2_4{
    .torch = "2.4",
    .size = 144,
    .enabled = 0,
    .entries = 48,
    .max_entries = 72,
    .next = 80,
    .id = 88,
    .all_pg_status = 0,
    .pg_name_to_ranks = 96,
    .entry =
        {
            .size = 352,
            .id = 0,
            .pg_id = 8,
            .pg_name = 16,
            .collective_seq_id = 32,
            .p2p_seq_id = 40,
            .op_id = 48,
            .profiling_name = 56,
            .traceback = 64,
            .time_created = 96,
            .timeout_ms = 0,
            .is_p2p = 104,
            .time_discovered_started = 120,
            .time_discovered_completed = 136,
            .input_dims = 152,
            .input_dtypes = 184,
            .output_dims = 208,
            .output_dtypes = 240,
            .sizes = 264,
            .retired = 344,
        },
    .traceback_frames = 8,
    .string_bytes = 8,
    .dimension_bytes = 4,
};

}  // namespace hangstack::symbolizer
