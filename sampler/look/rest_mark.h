#pragma once
// What must be equal before and after a copy for a thread to have slept throughout.

#include <cstdint>
#include <optional>

#include "model/error.h"
#include "sampler/proc/proc_files.h"
#include "sampler/proc/syscall.h"

namespace hangstack::sampler {

/// Two equal marks of a thread that was not running prove that it did not run between them: to leave its system call
/// and come back, it would have been put on a processor.
struct RestMark {
  SyscallLine line;
  std::optional<std::uint64_t> run_count;  ///< schedstat; where the kernel does not count, the switches
  std::uint64_t switches = 0;              ///< voluntary and not; 0 if there is a run count

  friend bool operator==(const RestMark&, const RestMark&) = default;
};

/// `vanished` if the thread ended, `no_permission` if its registers may not be seen.
model::Expected<RestMark> read_rest_mark(const ProcFiles& proc, std::int32_t pid, std::int32_t tid);

}  // namespace hangstack::sampler
