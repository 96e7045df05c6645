#pragma once
// The work of the child that reads one target.

#include <cstdint>
#include <map>
#include <set>

#include "sampler/sampler.h"
#include "sampler/stream.h"

namespace hangstack::sampler {

struct ReadPlan {
  Target target;
  SamplingOptions options;
  std::set<Stage> skip;             ///< where an earlier child of this target got stuck
  std::set<std::int32_t> finished;  ///< threads that need no further reading
  /// Of these, what earlier children read; borrowed. The inspector meets them again before it finishes.
  const std::map<std::int32_t, model::ThreadCapture>* earlier = nullptr;
};

/// Reads the target and writes messages to `pipe`, one as soon as it is known; main thread first.
void read_target(const ReadPlan& plan, const InspectorFactory& make_inspector, int pipe);

}  // namespace hangstack::sampler
