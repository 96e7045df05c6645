#pragma once
// The examples in the pages of the patterns (classifiers/patterns/NAME.md): jobs, and the verdicts that they must get.
//
//   ```job verdict=host_straggler culprits=1 confidence=likely hung=yes     culprits=- if nobody is named; only verdict
//   in all_reduce rank=0 world=2                                            is needed
//   process rank=1 world=2
//   thread main asleep=12 syscall=clock_nanosleep
//     clock_nanosleep libc.so.6
//   ```
//
// The notation is that of job_builder.h: each process stands still. `later` before the next process makes that one the
// second sample of the one before. Short forms, to which more lines may be added:
//   in all_reduce rank=0 world=2 line=20 asleep=12     waits in gloo's all_reduce
//   in device rank=0 world=2                           waits for the device, at second 1000
//   in sleep rank=1 world=2 line=17                    sleeps at a line of train_step; its all_reduce is at line 19
//   failed rank=1 pid=1001                             a zombie

#include <optional>
#include <string>
#include <vector>

#include "tests/support/job_builder.h"

namespace hangstack::tests {

struct PatternExample {
  int line = 0;  ///< of the page
  std::string verdict;
  std::optional<std::string> culprits;  ///< folded; empty: nobody
  std::optional<std::string> confidence;
  std::optional<std::string> hung;
  JobBuilder job;
};

/// Aborts the test program on a block that it does not understand.
std::vector<PatternExample> examples_in(const std::string& page);

}  // namespace hangstack::tests
