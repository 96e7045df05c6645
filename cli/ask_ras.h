#pragma once
// NCCL's RAS, asked once for each job of a sample.

#include <vector>

#include "cli/capture_folder.h"
#include "model/ras.h"

namespace hangstack::cli {

/// Asks for each job of `sample` whose ranks have loaded NCCL; says of the others why not. All questions together take
/// a few seconds at most. Call it when nothing of the job is held: after the last sample, where its answers delay no
/// stack and its threads' waking is in no counter that was read.
std::vector<model::RasReply> ask_ras(const std::vector<SampledProcess>& sample);

/// The same without a question: `reason` for all processes.
model::RasReply not_asked(const std::vector<SampledProcess>& sample, std::string reason);

/// What `sampling.asked` says of it.
std::vector<std::string> asked_by_ras(const std::vector<model::RasReply>& replies);

/// The replies with what they say. A reply that cannot be read gets the status `failed`.
std::vector<model::RasRecord> read_ras(std::vector<model::RasReply>&& replies);

}  // namespace hangstack::cli
