#pragma once
// From the options to the list of processes.

#include <cstdint>
#include <vector>

#include "cli/capture_folder.h"
#include "cli/options.h"
#include "model/error.h"

namespace hangstack::cli {

/// The pids to sample, never empty. `not_found` if nothing matches; `usage` if --pgrep is no regular expression.
model::Expected<std::vector<std::int32_t>> choose_targets(const Options& options);

/// Ranks of the sampled jobs that run on this host and were neither sampled nor tried. Looks for them only where a
/// job's world size says that ranks are missing.
std::vector<model::LeftOut> find_left_out(const Session& session);

}  // namespace hangstack::cli
