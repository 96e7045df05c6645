#pragma once
// The entries of a flight recorder's dump.

#include <cstdint>
#include <vector>

#include "ingest/document/document.h"
#include "model/records.h"

namespace hangstack::ingest {

struct Entries {
  std::vector<model::RecordedOperation> operations;  ///< those that are worth telling, oldest first
  std::uint64_t count = 0;                           ///< of all
  std::uint64_t recorded = 0;                        ///< since the process began, by the last id
  std::int64_t latest_unix_ns = 0;                   ///< the last time in any of them
};

/// `list` is the dump's "entries". `malformed_input` names the entry, counted from 0, and the field.
model::Expected<Entries> read_entries(const Value& list);

}  // namespace hangstack::ingest
