#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

#include "model/duration.h"
#include "report/printable.h"
#include "report/text/folding.h"
#include "report/text/sections.h"

namespace hangstack::report {
namespace {

constexpr int kRankColumns = 20;
constexpr int kPidColumns = 20;
constexpr int kHostColumns = 24;
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

/// What a table of groups shows besides the state.
struct Shape {
  bool ranks = false;
  bool places = false;  ///< pids or hosts: a dump tells neither
  bool hosts = false;
  bool moved = false;
};

Shape shape_of(const model::Job& job, const model::Report& report) {
  Shape shape;
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

std::vector<std::string> heading_of(const Shape& shape) {
  std::vector<std::string> heading;
  if (shape.ranks) heading.emplace_back("rank");
  if (shape.places) heading.emplace_back(shape.hosts ? "host" : "pid");
  if (shape.moved) heading.emplace_back("moved");
  for (const char* name : {"state", "waits in", "since"}) heading.emplace_back(name);
  return heading;
}

std::string place_of(const model::Group& group, const Shape& shape, const std::map<int, std::string>& host_of_rank) {
  if (!shape.hosts) return fitting_list(folded_pids(group.pids), group.pids.size(), kPidColumns);
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

struct Row {
  model::Group group;
  bool read = true;
};

/// Ranks that gave no stack and stand in no group, by what is known of them.
std::vector<Row> unread(const model::Job& job) {
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
  std::vector<Row> rows;
  rows.reserve(by_state.size());
  for (auto& [state, group] : by_state) rows.push_back({std::move(group), false});
  return rows;
}

/// Culprits first, as in the job; then the others; then those that could not be read.
std::vector<Row> rows_of(const model::Job& job) {
  std::vector<Row> rows;
  rows.reserve(job.groups.size());
  for (const auto& group : job.groups) rows.push_back({group, true});
  for (auto& row : unread(job)) rows.push_back(std::move(row));
  std::stable_partition(rows.begin(), rows.end(), [&](const Row& row) { return blamed(row.group, job.verdict); });
  return rows;
}

}  // namespace

void ranks_section(Page& page, const model::Job& job, const model::Report& report) {
  const std::string others = company(job);
  const auto rows = rows_of(job);
  if (rows.empty() && job.missing_ranks.empty() && others.empty()) return;
  const Shape shape = shape_of(job, report);
  std::map<int, std::string> host_of_rank;
  for (const auto& row : job.ranks) {
    if (row.rank) host_of_rank.emplace(*row.rank, row.host);
  }
  Table table(heading_of(shape));
  for (const auto& [group, read] : rows) {
    std::vector<std::string> cells;
    if (shape.ranks) cells.push_back(fitting_list(group.ranks.folded(), group.ranks.size(), kRankColumns));
    if (shape.places) cells.push_back(place_of(group, shape, host_of_rank));
    if (shape.moved) cells.emplace_back(!read ? "" : group.moved ? "yes" : "no");
    cells.push_back(cut_end(spaced(group.state), 24));
    cells.push_back(waits_in(group));
    cells.push_back(group.since_s ? model::duration(*group.since_s) : "");
    table.row(std::move(cells), shape.ranks && blamed(group, job.verdict) ? Paint::bad : Paint::none);
  }
  page.gap();
  page.line(page.paint(Paint::heading, shape.ranks ? "RANKS" : "PROCESSES"));
  if (!rows.empty()) table.print(page, 2, heading_of(shape).size() - 2);
  if (!job.missing_ranks.empty()) {
    page.line("  " + ranks_in_words(job.missing_ranks, page.width() - 30) + ": not among the " +
              (shape.places ? "processes read" : "dumps given"));
  }
  if (!others.empty()) {
    for (const auto& line : wrapped("with them: " + others, page.width() - 2)) page.line("  " + line);
  }
}

}  // namespace hangstack::report
