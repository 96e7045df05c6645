#pragma once
// What /proc tells of a process as a whole. In two parts, so that what cannot block is at home before what may.

#include <tl/expected.hpp>

#include "model/capture.h"
#include "model/diagnosis.h"
#include "sampler/proc/preflight.h"
#include "sampler/proc/proc_files.h"
#include "sampler/proc/tracer_rights.h"

namespace hangstack::sampler {

struct EarlyEvidence {
  model::ProcessCapture capture;  ///< host, pids, start time, exe, state, tracer, problems
  Access access;                  ///< which thread is alive, and what will not work
};

/// Everything that needs no mmap_lock of the process, after `check_target`. The failure has the state of the process
/// and no identity, which `identify` may add: that may block.
tl::expected<EarlyEvidence, model::FailedProcess> read_early_evidence(const ProcFiles& proc, const TracerRights& rights,
                                                                      std::int32_t pid);

/// Command line, allow-listed environment and identity of `capture.pid`: takes its mmap_lock, and so may block for
/// good. A file that may not be read leaves a word in `capture.problems`.
void read_late_evidence(const ProcFiles& proc, model::ProcessCapture& capture);

/// Both parts; a failure with its identity. May block for good.
tl::expected<model::ProcessCapture, model::FailedProcess> read_process_evidence(const ProcFiles& proc,
                                                                                std::int32_t pid);

}  // namespace hangstack::sampler
