#pragma once
// Did a thread move between two samples, in the sense of the program?

#include <cstdint>
#include <optional>

#include "classifiers/normalize/frames.h"
#include "classifiers/states/state.h"

namespace hangstack::classifiers {

struct Movement {
  std::optional<bool> moved;  ///< none: one sample only, or nothing to compare
  bool napped = false;        ///< it ran in between, yet stands in the same wait that wakes by itself
  bool same_place = true;     ///< the chain of functions is the same (lines may differ)
};

/// Same stack and same counters: not moved. Another stack outside the wait itself: moved. Same stack with other
/// counters: a wait that wakes by itself (a sleep, a time limit, a spin of libcuda) napped and did not move; any other
/// wait was left and entered again, so it moved, as did a running thread whose clocks went on.
/// A stop by hangstack changes the counters of a sleeping thread: those after it are compared (`clocks_after_stop`),
/// or, where the thread did not come to rest after it, processor time alone.
Movement movement_between(const ThreadView& before, const ThreadView& after, const ThreadState& state_after);

}  // namespace hangstack::classifiers
