#include "model/records.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "model/file_path.h"

namespace hangstack::model {

std::string_view record_status_name(RecordStatus status) {
  switch (status) {
    case RecordStatus::ok: return "ok";
    case RecordStatus::absent: return "absent";
    case RecordStatus::refused: return "refused";
    case RecordStatus::timed_out: return "timeout";
    case RecordStatus::failed: return "failed";
  }
  return "failed";
}

std::optional<RecordStatus> record_status_named(std::string_view name) {
  for (const RecordStatus status :
       {RecordStatus::ok, RecordStatus::absent, RecordStatus::refused, RecordStatus::timed_out, RecordStatus::failed})
    if (record_status_name(status) == name) return status;
  return std::nullopt;
}

void RecordedOperation::set_profiling_name(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon != std::string_view::npos) backend = text.substr(0, colon);
  name = colon == std::string_view::npos ? text : text.substr(colon + 1);
}

const RecordedGroup* FlightRecorder::group_named(std::string_view name) const {
  const auto found = std::ranges::find(groups, name, &RecordedGroup::name);
  return found == groups.end() ? nullptr : &*found;
}

const RecordedGroup* FlightRecorder::default_group() const {
  const auto found = std::ranges::find_if(
      groups, [](const RecordedGroup& group) { return group.description == "default_pg" || group.name == "0"; });
  return found == groups.end() || found->ranks.empty() ? nullptr : &*found;
}

const RecordedFrame* RecordedOperation::call_site() const {
  const RecordedFrame* package_frame = nullptr;
  for (const RecordedFrame& frame : frames) {
    if (frame.file.empty()) continue;
    const Origin origin = origin_of(frame.file);
    if (origin == Origin::user) return &frame;
    if (origin == Origin::package && package_frame == nullptr) package_frame = &frame;
  }
  return package_frame;
}

void mark_batches(std::vector<RecordedOperation>& operations) {
  std::map<std::pair<std::string_view, std::string_view>, const RecordedOperation*> before;
  for (RecordedOperation& operation : operations) {
    const RecordedOperation*& last = before[{operation.backend, operation.group}];
    operation.closes_transfers = operation.name == "coalesced" && !operation.point_to_point && last != nullptr &&
                                 last->point_to_point &&
                                 last->point_to_point_sequence == operation.point_to_point_sequence;
    last = &operation;
  }
}

namespace {

/// What of one group is known from later operations, going backwards.
struct Later {
  bool collective_ended = false;
  bool batch_ended = false;
  std::optional<std::uint64_t> batch;  ///< the one that closes next

  bool ended(const RecordedOperation& operation) {
    if (operation.closes_transfers) {
      batch = operation.point_to_point_sequence;
      batch_ended = batch_ended || operation.finished();
      return batch_ended;
    }
    if (operation.point_to_point)
      return operation.finished() || (batch == operation.point_to_point_sequence && batch_ended);
    if (operation.finished()) collective_ended = operation.backend != "gloo";
    return operation.finished() || collective_ended;
  }
};

}  // namespace

std::vector<std::size_t> unfinished(const std::vector<RecordedOperation>& operations) {
  std::vector<std::size_t> found;
  std::map<std::pair<std::string_view, std::string_view>, Later> later;
  for (std::size_t i = operations.size(); i-- > 0;) {
    const RecordedOperation& operation = operations[i];
    if (!later[{operation.backend, operation.group}].ended(operation)) found.push_back(i);
  }
  std::ranges::reverse(found);
  return found;
}

std::vector<std::size_t> worth_telling(const std::vector<RecordedOperation>& operations) {
  constexpr std::size_t kEnough = 128;
  std::set<std::tuple<std::string_view, std::string_view, bool>> begun;
  std::map<std::tuple<std::string_view, std::string_view, bool>, std::size_t> last;
  const auto key_of = [&](std::size_t i) {
    return std::tuple<std::string_view, std::string_view, bool>(operations[i].backend, operations[i].group,
                                                                operations[i].carries_transfers());
  };
  std::set<std::size_t> told;
  const std::vector<std::size_t> pending = unfinished(operations);
  for (const std::size_t i : pending)
    if (begun.insert(key_of(i)).second) told.insert(i);
  for (std::size_t i = 0; i < operations.size(); ++i) last[key_of(i)] = i;
  for (const auto& [key, i] : last) told.insert(i);
  for (const bool transfers : {false, true}) {
    for (const std::size_t i : pending)
      if (told.size() < kEnough && operations[i].carries_transfers() == transfers) told.insert(i);
  }
  return {told.begin(), told.end()};
}

}  // namespace hangstack::model
