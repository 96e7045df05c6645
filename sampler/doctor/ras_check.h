#pragma once
// Whether NCCL's RAS would answer.

#include <cstdint>
#include <optional>
#include <span>

#include "model/capture.h"
#include "sampler/doctor.h"

namespace hangstack::sampler {

/// Nothing is said of a process that has no NCCL among its `files`.
std::optional<Check> check_ras(const ProcFiles& proc, std::int32_t pid, std::span<const model::MappedFile> files);

}  // namespace hangstack::sampler
