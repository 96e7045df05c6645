#pragma once
// The source text of the users' Python files, for the classifiers.

#include <map>
#include <string>

#include "model/diagnosis.h"

namespace hangstack::cli {

/// Text by path of the Python files outside libraries on the stacks of the last samples, at most 64 files of 1 MiB.
/// A child process reads them through /proc/PID/root, regular files only, and is left alone after one second: a dead
/// network file system costs the text, not the report. What cannot be read is left out.
std::map<std::string, std::string> read_sources(const model::JobSnapshot& snapshot);

}  // namespace hangstack::cli
