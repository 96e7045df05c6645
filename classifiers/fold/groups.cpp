#include "classifiers/fold/groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "classifiers/fold/chain.h"
#include "model/file_path.h"

namespace hangstack::classifiers {
namespace {

using model::Group;
using model::RankRow;
using model::RankSet;
using model::RankStatus;

std::string title_of(const ThreadState& state) {
  switch (state.kind) {
    case StateKind::stopped: return state.title.empty() ? "stopped by a signal" : "stopped in " + state.title;
    case StateKind::traced: return state.title.empty() ? "held by a debugger" : "held by a debugger in " + state.title;
    case StateKind::dead: return "ended";
    case StateKind::unknown: return "no stack";
    case StateKind::uninterruptible:
      return state.detail.empty() ? "D state" : fmt::format("D state in {}", state.detail);
    default: break;
  }
  return state.detail.empty() ? state.title : fmt::format("{} ({})", state.title, state.detail);
}

/// What a dump says of its rank: the oldest operation that is not finished.
struct RecordedPlace {
  StateKind kind = StateKind::unknown;
  std::string title = "nothing unfinished in its dump";
  std::string frame;
};

RecordedPlace recorded_place(const ProcessFacts& process) {
  RecordedPlace place;
  std::int64_t oldest = 0;
  for (const auto& recorder : process.last().flight_recorders) {
    for (const std::size_t i : model::unfinished(recorder.operations)) {
      const model::RecordedOperation& operation = recorder.operations[i];
      if (oldest != 0 && operation.created_unix_ns >= oldest) continue;
      oldest = operation.created_unix_ns;
      const bool pair = operation.point_to_point;
      place.kind = pair ? StateKind::p2p : StateKind::collective;
      place.title =
          fmt::format("{} #{} of \"{}\"", operation.name, pair ? operation.point_to_point_sequence : operation.sequence,
                      operation.group_description.empty() ? operation.group : operation.group_description);
      const model::RecordedFrame* site = operation.call_site();
      place.frame = site == nullptr ? "" : fmt::format("{}:{}", model::base_name(site->file), site->line);
    }
  }
  return place;
}

/// A dump of a flight recorder and no stacks.
bool told_by_records(const ProcessFacts& process) { return !process.last().dump.empty() && process.threads.empty(); }

std::string group_key(const RankFacts& rank) {
  if (told_by_records(*rank.process)) {
    const RecordedPlace place = recorded_place(*rank.process);
    return fmt::format("dump\n{}\n{}\n{}", state_name(place.kind), place.title, place.frame);
  }
  const ThreadState& state = rank.state();
  const bool moved = rank.process->moved.value_or(false);
  std::string key = fmt::format("{}\n{}\n{}", state_name(state.kind), moved, moved ? "" : title_of(state));
  if (moved) return key + "\n" + (state.site ? state.site->function : std::string());
  if (const ThreadFacts* thread = rank.process->blocking_thread()) {
    for (const Link& link : chain_of(thread->view)) key += "\n" + link.key();
  }
  return key;
}

struct Building {
  Group group;
  bool blamed = false;
};

void add(Building& building, const RankFacts& rank, const RankSet& culprits, bool fresh) {
  const ThreadState& state = rank.state();
  Group& group = building.group;
  if (fresh) {
    group.state = state_name(state.kind);
    group.title = title_of(state);
    if (state.site) group.frame = state.site->text();
    group.moved = rank.process->moved.value_or(false);
  }
  if (fresh && told_by_records(*rank.process)) {
    RecordedPlace place = recorded_place(*rank.process);
    group.state = state_name(place.kind);
    group.title = std::move(place.title);
    group.frame = std::move(place.frame);
  }
  group.ranks.insert(rank.number);
  group.pids.push_back(rank.process->last().pid);
  building.blamed = building.blamed || culprits.contains(rank.number);
}

RankRow row_of(const ProcessFacts& process) {
  const auto& last = process.last();
  RankRow row;
  row.rank = last.identity.rank;
  row.dump = last.dump;
  row.host = last.host;
  row.pid = last.pid;
  row.ns_pid = last.ns_pid;
  row.role = last.identity.role;
  row.world_size = last.identity.world_size;
  row.state = state_name(process.state().kind);
  row.moved = process.moved;
  row.asleep_s = process.asleep_s;
  for (const auto& sample : process.history->samples) row.stopped_us += sample.stopped_us;
  const bool stackless = std::all_of(process.threads.begin(), process.threads.end(),
                                     [](const ThreadFacts& thread) { return thread.view.names.empty(); });
  const bool partial = std::any_of(process.threads.begin(), process.threads.end(), [](const ThreadFacts& thread) {
    return thread.view.names.empty() && thread.role.name != "kernel worker";
  });
  if (told_by_records(process)) {
    row.state = state_name(recorded_place(process).kind);
    row.status = RankStatus::partial;
  } else if (stackless) {
    row.status = RankStatus::failed;
  } else if (partial) {
    row.status = RankStatus::partial;
  }
  if (row.status != RankStatus::sampled && !last.problems.empty()) row.error = last.problems.front().error;
  return row;
}

RankRow row_of(const model::FailedProcess& failed) {
  RankRow row;
  row.rank = failed.identity.rank;
  row.host = failed.host;
  row.pid = failed.pid;
  row.role = failed.identity.role;
  row.world_size = failed.identity.world_size;
  row.state = failed.kernel_state == 'Z' ? state_name(StateKind::dead) : state_name(StateKind::unknown);
  row.status = RankStatus::failed;
  row.error = failed.error;
  return row;
}

}  // namespace

std::vector<Group> groups_of(const JobFacts& job, const RankSet& culprits) {
  std::vector<Building> building;
  std::unordered_map<std::string, std::size_t> place;
  for (const auto& rank : job.ranks) {
    const auto [at, fresh] = place.try_emplace(group_key(rank), building.size());
    if (fresh) building.emplace_back();
    add(building[at->second], rank, culprits, fresh);
  }
  std::stable_sort(building.begin(), building.end(), [](const Building& a, const Building& b) {
    if (a.blamed != b.blamed) return a.blamed;
    return a.group.ranks.size() < b.group.ranks.size();
  });
  std::vector<Group> groups;
  groups.reserve(building.size());
  for (auto& one : building) {
    one.group.since_s = job.least_sleep(one.group.ranks);
    groups.push_back(std::move(one.group));
  }
  return groups;
}

std::vector<RankRow> rank_rows(const JobFacts& job) {
  std::vector<RankRow> rows;
  for (const auto& rank : job.ranks) {
    RankRow row = row_of(*rank.process);
    if (!row.rank && !job.single()) row.rank = rank.number;
    if (job.dead.contains(rank.number)) row.state = state_name(StateKind::dead);
    rows.push_back(std::move(row));
  }
  std::vector<RankRow> others;
  for (const auto* failed : job.failed) {
    const bool is_rank = failed->identity.rank && failed->identity.role == model::Role::rank;
    const bool listed = std::any_of(rows.begin(), rows.end(), [&](const RankRow& row) {
      return row.pid == failed->pid && row.host == failed->host;
    });
    if (!listed) (is_rank ? rows : others).push_back(row_of(*failed));
  }
  std::stable_sort(rows.begin(), rows.end(), [](const RankRow& a, const RankRow& b) { return a.rank < b.rank; });
  for (const auto* process : job.others) others.push_back(row_of(*process));
  std::stable_sort(others.begin(), others.end(), [](const RankRow& a, const RankRow& b) {
    return std::tie(a.role, a.rank, a.pid) < std::tie(b.role, b.rank, b.pid);
  });
  rows.insert(rows.end(), others.begin(), others.end());
  return rows;
}

}  // namespace hangstack::classifiers
