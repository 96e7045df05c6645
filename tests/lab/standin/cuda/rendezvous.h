#pragma once

#include <cstdint>

namespace hangstack::standin {

/// How many have come to a meeting that all ranks of the machine know by one number.
struct Meeting {
  uint32_t first = 0;   ///< ranks of a collective; senders of a pair
  uint32_t second = 0;  ///< receivers of a pair
};

enum class Side { kFirst, kSecond };

/// Counts this process in, once per call. A meeting is never forgotten: use each `key` once.
void arrive(uint64_t key, Side side);
Meeting meeting(uint64_t key);

/// Whether HANGSTACK_LAB_TABLE names a table that could be mapped.
bool have_table();

/// A hash to build keys with: order matters.
uint64_t mix(uint64_t hash, uint64_t value);

}  // namespace hangstack::standin
