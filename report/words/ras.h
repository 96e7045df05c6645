#pragma once
// What NCCL's RAS was asked and said, in one line.

#include <string>

#include "model/ras.h"

namespace hangstack::report {

/// Printable; empty where nothing could be asked for (no NCCL, --ras off).
std::string ras_in_words(const model::RasRecord& record);

}  // namespace hangstack::report
