#pragma once
// /proc/PID/maps (proc_pid_maps(5); show_map_vma in fs/proc/task_mmu.c).

#include <string_view>
#include <vector>

#include "model/capture.h"
#include "model/error.h"

namespace hangstack::sampler {

/// The mappings, ascending by start and without overlap; empty for an empty file (zombies, kernel threads).
/// A mapping that a racing change made the kernel show twice is cut to its new part.
/// `malformed_input` names the line that does not make sense, a cut last line among them.
/// The kernel escapes only the newline in a path ("\012"): a backslash stands for itself.
model::Expected<std::vector<model::Mapping>> parse_maps(std::string_view text);

}  // namespace hangstack::sampler
