#include "report/words/rank_table.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

#include "model/duration.h"
#include "report/printable.h"
#include "report/words/cut.h"
#include "report/words/folding.h"

namespace hangstack::report {
namespace {

constexpr int kPidColumns = 20;
constexpr int kHostColumns = 24;
constexpr int kStateColumns = 24;
constexpr int kWithColumns = 60;  ///< pids of launchers and workers

std::string spaced(std::string_view machine_name) {
  std::string text = printable(machine_name);
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

std::string waits_in(const model::Group& group) {
  const std::string title = printable(group.title);
  const std::string frame = printable(group.frame);
  if (title.empty() || frame.empty()) return title + frame;
  return title + "  " + frame;
}

/// Without rows.
RankTable shape_of(const model::Job& job, const model::Report& report) {
  RankTable shape;
  std::set<std::string> hosts;
  for (const auto& row : job.ranks) {
    shape.ranks = shape.ranks || row.rank;
    shape.places = shape.places || row.dump.empty();
    hosts.insert(row.host);
  }
  shape.hosts = hosts.size() > 1;
  shape.moved = report.sampling.samples > 1;
  return shape;
}

std::string place_of(const model::Group& group, bool by_host, const std::map<int, std::string>& host_of_rank) {
  if (!by_host) return fitting_list(folded_pids(group.pids), group.pids.size(), kPidColumns);
  std::set<std::string> hosts;
  for (const int rank : group.ranks.ranks()) {
    if (const auto it = host_of_rank.find(rank); it != host_of_rank.end()) hosts.insert(it->second);
  }
  return fitting_list(folded_hosts(hosts), hosts.size(), kHostColumns);
}

bool blamed(const model::Group& group, const model::Verdict& verdict) {
  return std::any_of(group.ranks.ranks().begin(), group.ranks.ranks().end(),
                     [&](int r) { return verdict.culprit_ranks.contains(r); });
}

/// "launcher 41800; dataloader workers 41890-3": processes of the job that are no ranks.
std::string company(const model::Job& job) {
  std::map<model::Role, std::vector<std::int32_t>> by_role;
  for (const auto& row : job.ranks) {
    const bool listed = row.role == model::Role::rank || row.role == model::Role::other;
    if (!listed && row.status != model::RankStatus::failed) by_role[row.role].push_back(row.pid);
  }
  std::string text;
  for (const auto& [role, pids] : by_role) {
    text += fmt::format("{}{}{} {}", text.empty() ? "" : "; ", model::role_name(role), pids.size() > 1 ? "s" : "",
                        fitting_list(folded_pids(pids), pids.size(), kWithColumns));
  }
  return text;
}

/// Ranks that gave no stack and stand in no group, by what is known of them.
std::vector<model::Group> unread(const model::Job& job) {
  std::set<int> grouped;
  for (const auto& group : job.groups) grouped.insert(group.ranks.ranks().begin(), group.ranks.ranks().end());
  std::map<std::pair<std::string, std::string>, model::Group> by_state;
  for (const auto& row : job.ranks) {
    const bool missing = row.rank && row.role == model::Role::rank && row.status == model::RankStatus::failed;
    if (!missing || grouped.contains(*row.rank)) continue;
    const bool known = !row.state.empty() && row.state != "unknown";
    const std::string state = known ? row.state : "not read";
    const std::string why = row.error ? spaced(model::error_code_name(row.error->code)) : std::string();
    model::Group& group = by_state[{state, why}];
    group.state = state;
    group.title = why;
    group.ranks.insert(*row.rank);
    group.pids.push_back(row.pid);
  }
  std::vector<model::Group> groups;
  groups.reserve(by_state.size());
  for (auto& [state, group] : by_state) groups.push_back(std::move(group));
  return groups;
}

}  // namespace

std::vector<std::string> RankTable::heading() const {
  std::vector<std::string> names;
  if (ranks) names.emplace_back("rank");
  if (places) names.emplace_back(hosts ? "host" : "pid");
  if (moved) names.emplace_back("moved");
  for (const char* name : {"state", "waits in", "since"}) names.emplace_back(name);
  return names;
}

std::vector<std::string> RankTable::cells(const RankTableRow& row, int rank_width) const {
  const model::Group& group = row.group;
  std::vector<std::string> cells;
  if (ranks) cells.push_back(fitting_list(group.ranks.folded(), group.ranks.size(), rank_width));
  if (places) cells.push_back(row.place);
  if (moved) cells.emplace_back(!row.read ? "" : group.moved ? "yes" : "no");
  cells.push_back(cut_end(spaced(group.state), kStateColumns));
  cells.push_back(waits_in(group));
  cells.push_back(group.since_s ? model::duration(*group.since_s) : "");
  return cells;
}

RankTable rank_table(const model::Job& job, const model::Report& report, int list_width) {
  RankTable table = shape_of(job, report);
  std::map<int, std::string> host_of_rank;
  for (const auto& row : job.ranks) {
    if (row.rank) host_of_rank.emplace(*row.rank, row.host);
  }
  const auto add = [&](const model::Group& group, bool read) {
    const bool to_blame = table.ranks && blamed(group, job.verdict);
    table.rows.push_back({group, read, to_blame, place_of(group, table.hosts, host_of_rank)});
  };
  for (const auto& group : job.groups) add(group, true);
  for (const auto& group : unread(job)) add(group, false);
  std::stable_partition(table.rows.begin(), table.rows.end(), [](const RankTableRow& row) { return row.blamed; });
  if (!job.missing_ranks.empty()) {
    table.missing = ranks_in_words(job.missing_ranks, list_width) + ": not among the " +
                    (table.places ? "processes read" : "dumps given");
  }
  table.others = company(job);
  return table;
}

}  // namespace hangstack::report
