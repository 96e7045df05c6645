#pragma once
// A leader may end while threads of its process live: /proc/PID/{cmdline,environ,maps,exe} are then empty or gone, and
// /proc/PID/task/TID/... of a living thread still shows them.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "model/error.h"
#include "sampler/proc/proc_files.h"
#include "sampler/proc/stat.h"

namespace hangstack::sampler {

/// A thread that has not ended: the leader itself if it has not; 0 if all have.
std::int32_t living_thread(const ProcFiles& proc, const Stat& leader);

/// At most `max_bytes` of PROC/PID/`name`, by way of a living thread where the leader has ended. Errors of
/// ProcFiles::read.
model::Expected<std::string> read_of_living(const ProcFiles& proc, std::int32_t pid, std::string_view name,
                                            std::size_t max_bytes);

}  // namespace hangstack::sampler
