#include "classifiers/states/recorded_progress.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace hangstack::classifiers {
namespace {

using model::FlightRecorder;
using model::ProcessSnapshot;
using model::RecordedOperation;

/// An operation of one recorder: ids are given once between two resets.
struct Pending {
  std::string_view place;
  const RecordedOperation* operation = nullptr;
};

Pending oldest_pending(const ProcessSnapshot& process) {
  Pending oldest;
  for (const FlightRecorder& recorder : process.flight_recorders) {
    for (const RecordedOperation* operation : unfinished_collectives(recorder)) {
      if (operation->created_unix_ns <= 0) continue;
      if (oldest.operation == nullptr || operation->created_unix_ns < oldest.operation->created_unix_ns)
        oldest = {recorder.place, operation};
    }
  }
  return oldest;
}

/// How many operations each recorder that could be read has seen.
std::map<std::string, std::uint64_t> recorded_at(const ProcessSnapshot& process) {
  std::map<std::string, std::uint64_t> recorded;
  for (const FlightRecorder& recorder : process.flight_recorders)
    if (recorder.status == model::RecordStatus::ok) recorded[recorder.place] += recorder.recorded;
  return recorded;
}

bool same_recorders(const std::map<std::string, std::uint64_t>& a, const std::map<std::string, std::uint64_t>& b) {
  return std::ranges::equal(
      a, b, {}, [](const auto& entry) { return entry.first; }, [](const auto& entry) { return entry.first; });
}

/// Null if the process launched on several, or on none.
const model::Communicator* only_used_communicator(const ProcessSnapshot& process) {
  const model::Communicator* only = nullptr;
  for (const auto& library : process.nccl_libraries) {
    for (const auto& communicator : library.communicators) {
      if (communicator.launched_in_all() == 0) continue;
      if (only != nullptr) return nullptr;
      only = &communicator;
    }
  }
  return only;
}

}  // namespace

std::vector<const RecordedOperation*> unfinished_collectives(const FlightRecorder& recorder) {
  std::vector<const RecordedOperation*> collectives;
  for (const std::size_t i : model::unfinished(recorder.operations))
    if (!recorder.operations[i].carries_transfers()) collectives.push_back(&recorder.operations[i]);
  return collectives;
}

std::optional<double> pending_age_s(const ProcessSnapshot& process) {
  const RecordedOperation* oldest = oldest_pending(process).operation;
  if (oldest == nullptr) return std::nullopt;
  const double age = static_cast<double>(process.captured_at_unix_ns - oldest->created_unix_ns) / 1e9;
  return age > 0 ? std::optional(age) : std::nullopt;
}

bool launched_between(const ProcessSnapshot& before, const ProcessSnapshot& after) {
  const model::Communicator* was = only_used_communicator(before);
  const model::Communicator* is = only_used_communicator(after);
  return was != nullptr && is != nullptr && was->hash == is->hash && is->launched_in_all() > was->launched_in_all();
}

std::optional<bool> progressed_between(const ProcessSnapshot& before, const ProcessSnapshot& after) {
  const auto recorded_before = recorded_at(before);
  const auto recorded_after = recorded_at(after);
  if (recorded_before.empty() || !same_recorders(recorded_before, recorded_after)) return std::nullopt;
  // One that was reset in between says nothing.
  for (const auto& [place, recorded] : recorded_before)
    if (recorded_after.at(place) < recorded) return std::nullopt;
  const Pending was = oldest_pending(before);
  const Pending is = oldest_pending(after);
  if (was.operation == nullptr) return recorded_before != recorded_after;
  return is.operation == nullptr || was.place != is.place || was.operation->id != is.operation->id;
}

}  // namespace hangstack::classifiers
