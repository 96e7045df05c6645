#include "ingest/flight_recorder/flight_recorder.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "ingest/document/json.h"
#include "ingest/document/pickle.h"
#include "ingest/flight_recorder/entries.h"
#include "ingest/flight_recorder/fields.h"

namespace hangstack::ingest {
namespace {

using model::ErrorCode;
using model::Expected;
using model::failure;
using model::FlightRecorder;
using model::RecordedGroup;

constexpr std::size_t kMaxKeys = 64;  // of the whole, which has about 6
constexpr std::size_t kMaxGroups = 65'536;
constexpr std::size_t kMaxMembers = 1U << 20;  // of all groups
constexpr std::uint64_t kMaxRank = 1U << 20;
constexpr auto kFix = "give files that PyTorch's flight recorder wrote: pickles of protocol 2, or their JSON";

bool is_json(std::string_view bytes) {
  const std::size_t first = bytes.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && bytes[first] == '{';
}

Expected<Document> read_document(std::string_view bytes) {
  if (bytes.empty())
    return failure(ErrorCode::malformed_input, "it is empty", "the rank may have ended while it wrote");
  if (looks_like_pickle(bytes)) return read_pickle(bytes);
  if (is_json(bytes)) return read_json(bytes);
  if (bytes.starts_with("\x1f\x8b")) return failure(ErrorCode::malformed_input, "it is compressed", "gunzip it first");
  return failure(ErrorCode::malformed_input, "it begins neither as a pickle nor as JSON", kFix);
}

void read_groups(const Value& groups, FlightRecorder& recorder) {
  if (groups.kind() != ValueKind::dictionary) return;
  std::size_t members_left = kMaxMembers;
  for (std::size_t i = 0; i < std::min(groups.size(), kMaxGroups); ++i) {
    const auto [key, content] = groups.pair(i);
    if (content.size() > kMaxKeys) continue;
    auto name = name_of(content.find("name"));
    auto ranks = ranks_of(content.find("ranks"), members_left);
    if (!name || !ranks) continue;
    members_left -= ranks->size();
    recorder.groups.push_back({std::move(*name), name_of(content.find("desc")).value_or(""), std::move(*ranks)});
  }
}

void read_status(const Value& status, FlightRecorder& recorder) {
  if (status.kind() != ValueKind::dictionary) return;
  for (std::size_t i = 0; i < std::min(status.size(), kMaxGroups); ++i) {
    const auto [key, content] = status.pair(i);
    const auto group = count_of(key);
    if (!group || content.size() > kMaxKeys) continue;
    const auto at = [&](std::string_view name) { return number_of(content.find(name)).value_or(-1); };
    recorder.group_status.push_back(
        {*group, at("last_enqueued_collective"), at("last_started_collective"), at("last_completed_collective")});
  }
}

/// A process lists the groups that it is a member of.
std::optional<int> common_member(const std::vector<RecordedGroup>& groups) {
  std::optional<std::set<std::uint64_t>> common;
  for (const RecordedGroup& group : groups) {
    if (group.name.empty()) continue;  // gloo's recorder has one without a name, which says nothing
    const std::set<std::uint64_t> members(group.ranks.begin(), group.ranks.end());
    if (!common) common = members;
    std::erase_if(*common, [&](std::uint64_t rank) { return !members.contains(rank); });
  }
  if (!common || common->size() != 1 || *common->begin() > kMaxRank) return std::nullopt;
  return static_cast<int>(*common->begin());
}

std::optional<int> members_of_default(const FlightRecorder& recorder) {
  const RecordedGroup* group = recorder.default_group();
  if (group == nullptr || group->ranks.size() > kMaxRank) return std::nullopt;
  return static_cast<int>(group->ranks.size());
}

std::string library_of(const FlightRecorder& recorder, const std::string& library, std::string_view version) {
  std::string text = fmt::format("a dump of format {}", version);
  if (!recorder.operations.empty() && !recorder.operations.front().backend.empty())
    text += fmt::format(" of {}", recorder.operations.front().backend);
  if (!library.empty()) text += fmt::format(" (library {})", library);
  return text;
}

Expected<FlightRecorderDump> read_dump(const Value& root) {
  const auto version = root.size() <= kMaxKeys ? name_of(root.find("version")) : std::nullopt;
  if (!version || !(root.find("pg_config") || root.find("entries")))
    return failure(ErrorCode::malformed_input,
                   "it is no dump of a flight recorder: it has no version, or neither entries nor groups", kFix);
  FlightRecorderDump dump;
  dump.version = *version;
  FlightRecorder& recorder = dump.recorder;
  recorder.status = model::RecordStatus::ok;
  if (const auto groups = root.find("pg_config")) read_groups(*groups, recorder);
  if (const auto status = root.find("pg_status")) read_status(*status, recorder);
  if (const auto list = root.find("entries")) {
    auto entries = read_entries(*list);
    if (!entries) return tl::make_unexpected(entries.error());
    recorder.recorded = entries->recorded;
    recorder.forgot = entries->count < entries->recorded;
    recorder.operations = std::move(entries->operations);
    dump.latest_unix_ns = entries->latest_unix_ns;
  }
  // One that lists the active operations only need not list any.
  recorder.forgot |= recorder.operations.empty() && std::ranges::any_of(recorder.group_status, [](const auto& status) {
                       return status.last_enqueued > 0;
                     });
  const auto library = name_of(root.find("comm_lib_version"));
  recorder.place = library_of(recorder, library ? *library : name_of(root.find("nccl_version")).value_or(""), *version);
  name_status(recorder);
  dump.rank = common_member(recorder.groups);
  dump.world_size = members_of_default(recorder);
  return dump;
}

}  // namespace

Expected<FlightRecorderDump> read_flight_recorder_dump(std::string_view bytes) {
  auto document = read_document(bytes);
  if (!document) return tl::make_unexpected(document.error());
  return read_dump(document->root());
}

void name_status(FlightRecorder& recorder) {
  std::map<std::uint64_t, std::string> names;
  for (const auto& operation : recorder.operations) names[operation.group_id] = operation.group;
  std::map<std::uint64_t, std::string> by_order;
  std::map<std::uint64_t, std::string> numbered;
  std::set<std::uint64_t> ids;
  for (const auto& status : recorder.group_status) ids.insert(status.group_id);
  for (const RecordedGroup& group : recorder.groups) {
    const bool digits = !group.name.empty() && group.name.size() < 19 &&
                        group.name.find_first_not_of("0123456789") == std::string::npos;
    if (digits) numbered[std::stoull(group.name)] = group.name;
  }
  bool ordered = numbered.size() == ids.size() && numbered.size() == recorder.groups.size();
  auto name = numbered.begin();
  for (auto id = ids.begin(); ordered && id != ids.end(); ++id, ++name) {
    by_order[*id] = name->second;
    const auto known = names.find(*id);
    ordered = known == names.end() || known->second == name->second;
  }
  if (ordered) names.merge(by_order);
  for (auto& status : recorder.group_status) {
    if (const auto known = names.find(status.group_id); known != names.end()) status.group = known->second;
  }
}

}  // namespace hangstack::ingest
