#pragma once
// The source text of the users' Python files, for the classifiers.

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cli/capture_folder.h"

namespace hangstack::cli {

struct Sources {
  std::map<std::string, std::string> texts;
  /// Files that are younger than the process whose stacks name them, with its pid: their lines are not those that run.
  std::vector<std::pair<std::int32_t, std::string>> changed;
};

/// Text by path of the Python files outside libraries on the stacks of each process's last sample, at most 64 files of
/// 1 MiB, 8 MiB in all. The samples are symbolized.
/// A child process reads them through /proc/PID/root, regular files only, and is left alone after one second: a dead
/// network file system costs the text, not the report. What cannot be read is left out.
Sources read_sources(const std::vector<std::vector<SampledProcess>>& samples);

}  // namespace hangstack::cli
