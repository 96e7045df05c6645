#pragma once
// The dumps that several tools, or one tool several times, made of one process, as samples of it.

#include <string>
#include <vector>

#include "ingest/stacks/stack_dump.h"

namespace hangstack::ingest {

/// A dump and the file that it stands in.
struct StackFile {
  std::string name;
  StackDump dump;
};

/// Python frames of one tool below what another one saw of native code, both innermost first.
std::vector<model::Frame> native_above_python(const std::vector<model::Frame>& native,
                                              const std::vector<model::Frame>& python);

/// As many samples as every tool has dumps, the last ones of each, oldest first. A sample joins what each tool saw of a
/// thread: with Python's frames of one and native ones of another, the native frames
/// within the innermost evaluation of Python code come first. Threads are the same by number, the main ones by being
/// that, others by name. `files` holds at least one, in the order in which they were made.
std::vector<model::ProcessSnapshot> join_stacks(std::vector<StackFile>&& files);

}  // namespace hangstack::ingest
