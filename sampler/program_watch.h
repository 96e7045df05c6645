#pragma once
// Notices that a process ended, or became another program, while it was read.

#include <cstdint>
#include <optional>
#include <string>

#include "model/error.h"
#include "sampler/proc/proc_files.h"

namespace hangstack::sampler {

class ProgramWatch {
 public:
  /// Takes note of the program that runs.
  ProgramWatch(const ProcFiles& proc, std::int32_t pid);

  /// `vanished`: what was read is of a process that is no more; `changed_program`: it may be of two programs.
  [[nodiscard]] std::optional<model::Error> changed() const;

 private:
  /// exec keeps pid and start time, but makes a new stack at a random address (start_stack of proc_pid_stat(5)) and
  /// mostly another exe.
  struct Program {
    std::uint64_t start_time_ticks = 0;
    std::uint64_t start_stack = 0;
    std::string exe;
    bool alive = false;  ///< a zombie leader with living threads counts

    friend bool operator==(const Program&, const Program&) = default;
  };
  [[nodiscard]] Program current() const;

  const ProcFiles& proc_;
  std::int32_t pid_;
  Program first_;
};

}  // namespace hangstack::sampler
