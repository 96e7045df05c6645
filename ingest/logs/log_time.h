#pragma once
// The times that lines of logs have in them.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace hangstack::ingest {

struct LogTime {
  std::int64_t ns = 0;  ///< since 1970 by the log's own clock, of an unknown zone
  std::string text;     ///< "2026-11-30 23:13:23.038"
};

/// The first time in the first 200 bytes of a line: "[E1130 23:13:23.038434997 ProcessGroupNCCL.cpp:685]" and
/// "E1130 23:13:23.038000 123 torch/..." (c10 and torchrun: no year), "[2026-11-30 23:13:23]" (NCCL 2.24 and later),
/// "2026-11-30 23:13:23,038", "2026-11-30T23:13:23.038Z", "2026-11-30_23:13:23" (torchrun's report),
/// "[Mon Nov 30 23:13:23 2026]" (dmesg -T). Where there is no year it is the last one that ends no later than a day
/// behind `modified_unix_ns`.
std::optional<LogTime> time_in(std::string_view line, std::int64_t modified_unix_ns);

}  // namespace hangstack::ingest
