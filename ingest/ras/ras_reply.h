#pragma once
// A reply of NCCL's RAS: the text of NCCL 2.24 to 2.32, or the JSON of 2.28.7 and later. Bytes of any kind are taken;
// work and memory grow with their number.

#include <string_view>

#include "model/error.h"
#include "model/ras.h"

namespace hangstack::ingest {

/// `reply` is what the server sent, from its first line on, or what ncclras prints. `malformed_input` if it is no
/// report of RAS, or ends before it is complete.
model::Expected<model::RasReport> read_ras_reply(std::string_view reply);

/// The two forms alone.
model::Expected<model::RasReport> read_ras_json(std::string_view text);
model::Expected<model::RasReport> read_ras_text(std::string_view text);

/// What one report tells of at most; more is left out. Both are far above what 32 MiB of real text hold.
inline constexpr std::size_t kMostRasCommunicators = 65536;
inline constexpr std::size_t kMostRasRanks = 1UL << 20;

}  // namespace hangstack::ingest
