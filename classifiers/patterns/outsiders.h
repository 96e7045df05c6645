#pragma once
// Ranks outside the operation that their peers wait in: what host_straggler and asymmetric_control_flow share.

#include <map>
#include <string>

#include "classifiers/fold/facts.h"
#include "classifiers/fold/program_order.h"
#include "model/diagnosis.h"

namespace hangstack::classifiers {

struct Outsiders {
  model::RankSet waiting;  ///< inside the operation, or waiting for the device
  model::RankSet late;     ///< outside; before the call, or nothing says that they have passed it, or moving
  model::RankSet past;     ///< outside, standing still, beyond the call or on another branch
  bool left = false;       ///< all of `past` have passed it for good: exit, teardown, or by their source
  std::string operation;   ///< "all_reduce at sync_gradients train.py:131"
  std::map<std::string, model::RankSet> placements;
};

/// Compares every outsider with a rank at the most common call site.
Outsiders outsiders_of(const JobFacts& job);

/// Each of `set` is in the loop of a server: it may wait for a request, as its peers may for the command that brings.
bool all_serve(const JobFacts& job, const model::RankSet& set);

/// The few wait alone in an operation while the many, all at one place, are beyond it or elsewhere.
bool few_wait_alone(const JobFacts& job, const Outsiders& split);

/// Two sources (stacks, and counters that say nothing ran) make it likely; doubts about who was read, possible.
model::Confidence confidence_in(const JobFacts& job, const Outsiders& split, const model::RankSet& culprits);

/// Who waits, who does not, since when, and the roll call, into `verdict`.
void observe_split(model::Verdict& verdict, const JobFacts& job, const Outsiders& split,
                   const model::RankSet& culprits);

}  // namespace hangstack::classifiers
