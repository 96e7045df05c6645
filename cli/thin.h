#pragma once
// Less of a session.

#include <filesystem>

#include "cli/capture_folder.h"
#include "symbolizer/symbolizer.h"

namespace hangstack::cli {

/// Saves the session in `folder` with all memory zeroed that no report on it reads, but for a few bytes beside it.
/// Symbolizes with `options`.
model::Expected<void> save_thinned(SavedSession saved, symbolizer::SymbolizerOptions options,
                                   const std::filesystem::path& folder);

}  // namespace hangstack::cli
