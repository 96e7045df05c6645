#pragma once
// Reads the processes of a host without being caught by a stuck one.

#include <chrono>
#include <cstdint>
#include <span>

#include "sampler/discover/process_tree.h"
#include "sampler/proc/proc_files.h"

namespace hangstack::sampler {

/// How long one process's files may take before it is given up. Reading takes microseconds.
inline constexpr std::chrono::milliseconds kPatience{1000};

/// The tree of all processes, from their stat files only: no lock of any process is taken. Kernel threads are left out.
ProcessTree read_tree(const ProcFiles& proc);

/// Adds command line, environment and threads of `pids` to the tree. They are read by a child process, because cmdline
/// and environ wait for the mmap_lock, which a stuck process may hold for good: a pid that takes longer than `patience`
/// is left as it is, and reading goes on behind it with another child. The child that waits is killed; if it cannot
/// die, it is left behind.
void read_facts(const ProcFiles& proc, std::span<const std::int32_t> pids, ProcessTree& tree,
                std::chrono::milliseconds patience = kPatience);

}  // namespace hangstack::sampler
