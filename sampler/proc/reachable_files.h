#pragma once
// Files on a server that does not answer: whoever opens one waits for good.

#include <chrono>
#include <span>
#include <string>
#include <vector>

#include "model/capture.h"
#include "sampler/memory/mapping_access.h"

namespace hangstack::sampler {

/// How long one file may take to open. A disk takes microseconds, a file server that lives some milliseconds.
inline constexpr std::chrono::milliseconds kOpenPatience{300};

/// Takes the `open_paths` of those files that are on no local disk and do not open in time: a child process tries. Each
/// file system that does not answer costs `patience` once, four of them at most; then the untried are taken too. Gives
/// the paths of the files that lost theirs.
std::vector<std::string> drop_unreachable(std::span<model::MappedFile> files, const FileSystems& file_systems,
                                          std::chrono::milliseconds patience);

}  // namespace hangstack::sampler
