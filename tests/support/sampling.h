#pragma once
// Shorthands for tests that sample real processes.

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "model/capture.h"
#include "sampler/sampler.h"

namespace hangstack::tests {

/// One process, without an inspector.
sampler::SampleResult sample_one(std::int32_t pid, sampler::StopMode stop,
                                 std::chrono::milliseconds deadline = std::chrono::seconds(10));

/// Null if there is no such thread.
const model::ThreadCapture* thread_of(const model::ProcessCapture& capture, std::int32_t tid);

/// Problems of the process and its threads, one a line: what a failed test prints.
std::string problems_of(const sampler::SampleResult& result);

/// The field of /proc/PID/task/TID/status, e.g. "TracerPid"; empty if there is none.
std::string status_field(std::int32_t pid, std::int32_t tid, const std::string& name);

/// Runs `body` in a child process; its exit status, or 128 + signal. `body` returns the status.
int in_child(const std::function<int()>& body);

/// Kills the calling process, and every process it makes, at its next ptrace(2).
void forbid_ptrace();

}  // namespace hangstack::tests
