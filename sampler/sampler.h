#pragma once
// The only door to other processes: pids in, captures out.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "model/capture.h"
#include "model/diagnosis.h"
#include "model/inspector.h"
#include "model/snapshot.h"

namespace hangstack::sampler {

enum class StopMode : std::uint8_t {
  automatic,  ///< look at what sleeps; stop, one by one, only what runs, moved, or needs registers the kernel does not
              ///< show
  all,        ///< stop every thread of the process for one strict moment
  never,      ///< no ptrace at all
};

/// Copied of a stack that a first copy did not reach the end of.
inline constexpr std::size_t kMoreStackBytes = 64UL << 20;

struct SamplingOptions {
  StopMode stop = StopMode::automatic;
  std::chrono::milliseconds deadline{10'000};  ///< for one pid; what it gave until then is kept
  std::size_t stack_bytes = 512UL * 1024;      ///< copied per thread at most
};

struct Target {
  std::int32_t pid = 0;
  /// Empty: all threads. Else a second visit: only these threads, each with what its stack still needs.
  std::map<std::int32_t, model::StackNeed> only;
};

/// Called in the child process that reads one target.
using InspectorFactory = std::function<std::unique_ptr<model::Inspector>()>;

using SampleResult = tl::expected<model::ProcessCapture, model::FailedProcess>;

/// Reads all targets in parallel, each by a child process of its own with its own deadline; results in the order of
/// `targets`. A child that blocks for good is left behind; what it had sent by then is the capture, with the reason in
/// `problems`. A target that refuses (zombie, kernel thread, no permission...) is a FailedProcess with one sentence.
/// Nothing stays stopped, whatever happens to hangstack or its children. `interrupted` (may be empty) is asked again
/// and again, at least every 250 ms: once it says true, what is there by then is the result.
std::vector<SampleResult> sample_processes(std::span<const Target> targets, const SamplingOptions& options,
                                           const InspectorFactory& make_inspector,
                                           const std::function<bool()>& interrupted = {});

}  // namespace hangstack::sampler
