#include "classifiers/states/recorded_progress.h"

#include <algorithm>
#include <cstdint>
#include <tuple>

namespace hangstack::classifiers {
namespace {

using model::ProcessSnapshot;
using model::RecordedOperation;

const RecordedOperation* oldest_pending(const ProcessSnapshot& process) {
  const RecordedOperation* oldest = nullptr;
  for (const auto& recorder : process.flight_recorders) {
    for (const RecordedOperation& operation : recorder.operations) {
      if (operation.finished() || operation.point_to_point || operation.created_unix_ns <= 0) continue;
      if (oldest == nullptr || operation.created_unix_ns < oldest->created_unix_ns) oldest = &operation;
    }
  }
  return oldest;
}

bool is_recorded(const ProcessSnapshot& process) {
  return std::ranges::any_of(process.flight_recorders,
                             [](const auto& recorder) { return recorder.status == model::RecordStatus::ok; });
}

std::uint64_t operations_recorded(const ProcessSnapshot& process) {
  std::uint64_t sum = 0;
  for (const auto& recorder : process.flight_recorders) sum += recorder.recorded;
  return sum;
}

auto key_of(const RecordedOperation& operation) {
  return std::tie(operation.backend, operation.group, operation.sequence);
}

}  // namespace

std::optional<double> pending_age_s(const ProcessSnapshot& process) {
  const RecordedOperation* oldest = oldest_pending(process);
  if (oldest == nullptr) return std::nullopt;
  const double age = static_cast<double>(process.captured_at_unix_ns - oldest->created_unix_ns) / 1e9;
  return age > 0 ? std::optional(age) : std::nullopt;
}

std::optional<bool> progressed_between(const ProcessSnapshot& before, const ProcessSnapshot& after) {
  if (!is_recorded(before) || !is_recorded(after)) return std::nullopt;
  const RecordedOperation* was = oldest_pending(before);
  const RecordedOperation* is = oldest_pending(after);
  if (was == nullptr) return operations_recorded(before) != operations_recorded(after);
  return is == nullptr || key_of(*was) != key_of(*is);
}

}  // namespace hangstack::classifiers
