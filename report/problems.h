#pragma once
// Everything that could not be read, from wherever in the report it is kept.

#include <vector>

#include "model/diagnosis.h"

namespace hangstack::report {

/// The report's own errors, then those of rank rows, processes and threads of the last samples; each once.
std::vector<model::Problem> all_problems(const model::Report& report);

}  // namespace hangstack::report
