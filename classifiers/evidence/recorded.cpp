#include "classifiers/evidence/recorded.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace hangstack::classifiers {
namespace {

using model::Observation;
using model::RankSet;
using model::RecordedOperation;

constexpr std::string_view kSource = "flight recorder";

void add_operation(RecordedGroup& group, int rank, const RecordedOperation& operation) {
  if (operation.point_to_point) return;
  const RecordedOperation*& latest = group.latest[rank];
  if (latest == nullptr || operation.sequence >= latest->sequence) latest = &operation;
  if (operation.finished()) return;
  const RecordedOperation*& pending = group.pending[rank];
  if (pending == nullptr || operation.sequence < pending->sequence) pending = &operation;
}

void add_members(RecordedGroup& group, const model::FlightRecorder& recorder) {
  if (!group.members.empty()) return;
  const auto listed = std::ranges::find(recorder.groups, group.name, &model::RecordedGroup::name);
  if (listed == recorder.groups.end()) return;
  for (const std::uint64_t rank : listed->ranks) group.members.insert(static_cast<int>(rank));
}

std::string tensor_text(const model::RecordedTensor& tensor) {
  return fmt::format("[{}]{}{}", fmt::join(tensor.sizes, ", "), tensor.dtype.empty() ? "" : " ", tensor.dtype);
}

/// Of those that have nothing unfinished, or something behind `first`.
void add_others(const RecordedGroup& group, std::uint64_t first, std::map<std::string, RankSet>& texts) {
  for (const auto& [rank, operation] : group.latest) {
    if (group.pending.contains(rank)) continue;
    if (operation->sequence < first)
      texts[operation_text(group, *operation) + " was its last: nothing recorded since"].insert(rank);
    else
      texts[operation_text(group, *operation) + ", finished"].insert(rank);
  }
}

}  // namespace

std::uint64_t RecordedGroup::first_pending() const {
  std::uint64_t first = pending.begin()->second->sequence;
  for (const auto& [rank, operation] : pending) first = std::min(first, operation->sequence);
  return first;
}

std::vector<RecordedGroup> pending_groups(const JobFacts& job) {
  std::map<std::tuple<std::string, std::string>, RecordedGroup> groups;
  for (const RankFacts& rank : job.ranks) {
    for (const auto& recorder : rank.process->last().flight_recorders) {
      for (const RecordedOperation& operation : recorder.operations) {
        RecordedGroup& group = groups[{operation.backend, operation.group}];
        group.backend = operation.backend;
        group.name = operation.group;
        if (group.description.empty()) group.description = operation.group_description;
        add_operation(group, rank.number, operation);
        add_members(group, recorder);
      }
    }
  }
  std::vector<RecordedGroup> pending;
  for (auto& [key, group] : groups)
    if (!group.pending.empty()) pending.push_back(std::move(group));
  return pending;
}

std::string operation_text(const RecordedGroup& group, const RecordedOperation& operation) {
  const bool described = !group.description.empty() && group.description != "undefined";
  std::string text = fmt::format("{} #{} of {} group \"{}\"", operation.name, operation.sequence, group.backend,
                                 described ? group.description : group.name);
  if (!operation.inputs.empty()) text += ", " + tensor_text(operation.inputs.front());
  if (operation.inputs.size() > 1) text += fmt::format(" and {} more", operation.inputs.size() - 1);
  return text;
}

std::vector<Observation> recorded_operations(const JobFacts& job) {
  std::vector<Observation> out;
  for (const RecordedGroup& group : pending_groups(job)) {
    std::map<std::string, RankSet> texts;
    for (const auto& [rank, operation] : group.pending)
      texts[operation_text(group, *operation) + ", not finished"].insert(rank);
    add_others(group, group.first_pending(), texts);
    for (auto& [text, ranks] : texts) out.push_back({text, ranks, std::string(kSource)});
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const auto& a, const auto& b) { return a.ranks.size() < b.ranks.size(); });
  constexpr std::size_t kMost = 8;
  if (out.size() > kMost) out.resize(kMost);
  return out;
}

}  // namespace hangstack::classifiers
