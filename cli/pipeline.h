#pragma once
// From pids or kept captures to a report: the order of work of design section 2.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/capture_folder.h"
#include "cli/options.h"
#include "model/diagnosis.h"
#include "symbolizer/symbolizer.h"

namespace hangstack::cli {

/// Told what happens, for a line on the terminal; may be empty.
using Progress = std::function<void(std::string_view)>;

/// Samples `pids` as often as `options` says, with the gap in between; symbolizes while it waits. Ends early, with
/// the samples made so far, once `interrupted()` is true. At last reads the sources of the users' files on the stacks,
/// and looks for ranks of these jobs that were not asked for.
Session take_samples(const std::vector<std::int32_t>& pids, const Options& options, symbolizer::Symbolizer& symbolizer,
                     const Progress& progress, const std::function<bool()>& interrupted);

/// Symbolizes and judges a session: the same for a live one and for a replayed one. Reads nothing but the session.
model::Report make_report(Session&& session, symbolizer::Symbolizer& symbolizer);

}  // namespace hangstack::cli
