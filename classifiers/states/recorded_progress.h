#pragma once
// A process's own records of its collectives, over its samples: how long the oldest one has waited, and whether any
// has ended or begun since.

#include <optional>
#include <vector>

#include "model/snapshot.h"

namespace hangstack::classifiers {

/// The collectives of one recorder that have not ended, in the order of recording.
std::vector<const model::RecordedOperation*> unfinished_collectives(const model::FlightRecorder& recorder);

/// Age in seconds of the oldest collective that is not finished, by the process's flight recorders; none without one.
std::optional<double> pending_age_s(const model::ProcessSnapshot& process);

/// Whether the collective that it waited in ended between two samples, or it began one where it waited in none. A
/// group that goes on beside one that waits is no progress: what waits is the oldest. None unless the same recorders
/// could be read in both.
std::optional<bool> progressed_between(const model::ProcessSnapshot& before, const model::ProcessSnapshot& after);

/// Whether it launched collectives of NCCL between two samples, on the one communicator that it uses. Of several, those
/// that go on say nothing of the one that it waits for.
bool launched_between(const model::ProcessSnapshot& before, const model::ProcessSnapshot& after);

}  // namespace hangstack::classifiers
