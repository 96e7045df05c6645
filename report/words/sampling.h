#pragma once
// What was sampled, how, and what it cost the job.

#include <string>
#include <vector>

#include "model/diagnosis.h"

namespace hangstack::report {

/// "hangstack 0.1.0", the time, "8 ranks on gpu07", "2 samples, 2 s apart", "not stopped", what was asked and
/// disturbed. Printable.
std::vector<std::string> header_parts(const model::Report& report);

/// "not stopped", "stopped 2 threads for 61 us in all".
std::string stop_summary(const model::Sampling& sampling);

/// "JOB gpu07:29500   8 ranks". Printable.
std::string job_title(const model::Job& job);

}  // namespace hangstack::report
