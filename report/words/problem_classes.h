#pragma once
// Failures that differ only in numbers are one.

#include <string>
#include <vector>

#include "model/error.h"

namespace hangstack::report {

/// Never empty; the first one stands for all.
struct ProblemClass {
  std::vector<model::Problem> members;
};

/// In order of appearance.
std::vector<ProblemClass> problem_classes(const std::vector<model::Problem>& problems);

/// "pid 41880", "pids 41880-7", "host gpu07". Printable, and short.
std::string subject_of(const ProblemClass& one);

/// "pid 3100 may not be read (and 11 more)". Printable.
std::string message_of(const ProblemClass& one);

}  // namespace hangstack::report
