#include "model/records.h"

#include <map>
#include <optional>
#include <set>
#include <tuple>

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

std::vector<std::size_t> worth_telling(const FlightRecorder& recorder) {
  constexpr std::size_t kMost = 128;
  struct Ends {
    std::optional<std::size_t> first_unfinished;
    std::size_t last = 0;
  };
  std::map<std::tuple<std::string_view, std::string_view, bool>, Ends> groups;
  for (std::size_t i = 0; i < recorder.operations.size(); ++i) {
    const RecordedOperation& operation = recorder.operations[i];
    Ends& ends = groups[{operation.backend, operation.group, operation.point_to_point}];
    ends.last = i;
    if (!operation.finished() && !ends.first_unfinished) ends.first_unfinished = i;
  }
  std::set<std::size_t> told;
  for (const auto& [group, ends] : groups) {
    if (ends.first_unfinished && told.size() < kMost) told.insert(*ends.first_unfinished);
    if (told.size() < kMost) told.insert(ends.last);
  }
  for (std::size_t i = 0; i < recorder.operations.size() && told.size() < kMost; ++i)
    if (!recorder.operations[i].finished()) told.insert(i);
  return {told.begin(), told.end()};
}

}  // namespace hangstack::model
