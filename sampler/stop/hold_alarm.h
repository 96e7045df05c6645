#pragma once

#include <chrono>

namespace hangstack::sampler {

/// Ends this process (SIGALRM) if it lives longer than `limit`: the kernel then lets every tracee go. For the child
/// that reads a target, which may block in a read while it holds a thread.
class HoldAlarm {
 public:
  explicit HoldAlarm(std::chrono::microseconds limit);
  ~HoldAlarm();
  /// The limit counts from now on.
  void restart(std::chrono::microseconds limit);
  HoldAlarm(const HoldAlarm&) = delete;
  HoldAlarm& operator=(const HoldAlarm&) = delete;
};

}  // namespace hangstack::sampler
