#include "model/records.h"

#include <algorithm>
#include <map>
#include <optional>
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

std::vector<std::size_t> unfinished(const std::vector<RecordedOperation>& operations) {
  std::vector<std::size_t> found;
  std::map<std::pair<std::string_view, std::string_view>, bool> overtaken;
  for (std::size_t i = operations.size(); i-- > 0;) {
    const RecordedOperation& operation = operations[i];
    if (operation.point_to_point) {
      if (!operation.finished()) found.push_back(i);
      continue;
    }
    bool& later_ended = overtaken[{operation.backend, operation.group}];
    if (operation.finished())
      later_ended = operation.backend != "gloo";
    else if (!later_ended)
      found.push_back(i);
  }
  std::ranges::reverse(found);
  return found;
}

std::vector<std::size_t> worth_telling(const std::vector<RecordedOperation>& operations) {
  constexpr std::size_t kMost = 128;
  struct Ends {
    std::optional<std::size_t> first_unfinished;
    std::optional<std::size_t> last_finished;
    std::size_t last = 0;
  };
  std::map<std::tuple<std::string_view, std::string_view, bool>, Ends> groups;
  const auto ends_of = [&](std::size_t i) -> Ends& {
    return groups[{operations[i].backend, operations[i].group, operations[i].point_to_point}];
  };
  for (std::size_t i = 0; i < operations.size(); ++i) {
    Ends& ends = ends_of(i);
    ends.last = i;
    if (operations[i].finished()) ends.last_finished = i;
  }
  const std::vector<std::size_t> pending = unfinished(operations);
  for (const std::size_t i : pending)
    if (Ends& ends = ends_of(i); !ends.first_unfinished) ends.first_unfinished = i;
  std::set<std::size_t> told;
  const auto tell = [&](std::size_t i) {
    if (told.size() < kMost) told.insert(i);
  };
  for (const auto& [group, ends] : groups) {
    if (ends.first_unfinished) tell(*ends.first_unfinished);
    if (ends.last_finished) tell(*ends.last_finished);
    tell(ends.last);
  }
  for (const std::size_t i : pending) tell(i);
  return {told.begin(), told.end()};
}

}  // namespace hangstack::model
