#pragma once
// A small, plain sampler for tests of the symbolizer: it reads a process whose threads all sleep.

#include <cstdint>
#include <map>

#include "model/capture.h"
#include "model/inspector.h"
#include "model/memory_reader.h"

namespace hangstack::tests {

/// process_vm_readv; keeps what was read.
class RecordingReader : public model::MemoryReader {
 public:
  explicit RecordingReader(std::int32_t pid) : pid_(pid) {}
  void read_batch(std::span<model::ReadRequest> requests) override;
  /// What was read since the last call.
  std::vector<model::MemorySegment> take();
  [[nodiscard]] std::size_t calls() const { return calls_; }

 private:
  std::int32_t pid_;
  std::vector<model::MemorySegment> segments_;
  std::size_t calls_ = 0;
};

/// Mappings, files, threads with registers and stack (as /proc/PID/task/TID/syscall shows them), and what the
/// inspector reads. Threads that run have no stack.
model::ProcessCapture capture_live(std::int32_t pid, model::Inspector& inspector);

}  // namespace hangstack::tests
