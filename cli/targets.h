#pragma once
// From the options to the list of processes.

#include <cstdint>
#include <vector>

#include "cli/options.h"
#include "model/error.h"

namespace hangstack::cli {

/// The pids to sample, never empty. `not_found` if nothing matches; `usage` if --pgrep is no regular expression.
model::Expected<std::vector<std::int32_t>> choose_targets(const Options& options);

}  // namespace hangstack::cli
