#pragma once
// How interpretation rides along with sampling: what must be read while a thread is looked at or stopped.

#include "model/capture.h"
#include "model/memory_reader.h"

namespace hangstack::model {

/// Given to the sampler by the command line, so that the sampler knows nothing of Python or NCCL.
/// The reader records every byte into the capture; replay reads the same bytes again.
/// One object serves one process, in the child that reads it. Methods never throw and never block.
class Inspector {
 public:
  virtual ~Inspector() = default;

  /// Before anything is held still: find interpreters and their thread lists. May open files.
  /// `process` has mappings, files and the list of threads without stacks.
  virtual void prepare(const ProcessCapture& process, MemoryReader& memory) = 0;

  /// Inside one thread's window (asleep and unmoved, or stopped): read the chain of its frames and nothing else.
  /// No files, no symbols. Called again with fresh memory when the thread moved in between, and for a strict stop once
  /// before it. What it reads follows from what it has read, the thread's tid, rsp, rip and fs_base, and nothing else.
  virtual void read_thread(const ThreadCapture& thread, MemoryReader& memory) = 0;

  /// After everything was released: code objects, names, line tables, the holder of the GIL. May open files.
  virtual void finish(const ProcessCapture& process, MemoryReader& memory) = 0;
};

}  // namespace hangstack::model
