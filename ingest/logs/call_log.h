#pragma once
// Sequence logs: a line of JSON for each collective that a program calls, as `hangstack explain sequence-log` asks for.

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "model/error.h"
#include "model/logs.h"

namespace hangstack::ingest {

inline constexpr std::size_t kMostLoggedCalls = 4'000'000;

/// Whether the first line is an object with a number and an operation.
bool looks_like_call_log(std::string_view text);

struct CallLogs {
  std::vector<model::CallLog> logs;  ///< one for each rank and group; `file` is empty
  std::size_t not_read = 0;          ///< lines that are no such object; the last line may be cut off
  std::size_t first_not_read = 0;
};

/// {"rank": 3, "group": "dp", "seq": 412, "op": "all_reduce", "sizes": [[1024]], "dtype": "float32", "at":
/// "train.py:88"}. Without "rank" it is `rank`; lines of nobody are not read. Without "group" there is one. A line with
/// "event": "return" tells that a call came back, and is left out.
CallLogs read_call_log(std::string_view text, std::optional<int> rank);

}  // namespace hangstack::ingest
