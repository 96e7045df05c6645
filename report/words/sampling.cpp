#include "report/words/sampling.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "model/duration.h"
#include "report/printable.h"
#include "report/words/folding.h"

namespace hangstack::report {
namespace {

constexpr int kHostColumns = 40;

/// "8 of 16 ranks on 2 hosts (gpu[01-02])", "2 ranks on gpu07".
std::string what_was_sampled(const model::Report& report) {
  std::size_t ranks = 0;
  std::size_t others = 0;
  std::size_t failed = 0;
  int world = 0;
  std::set<std::string> hosts;
  for (const auto& job : report.jobs) {
    int job_world = 0;
    for (const auto& row : job.ranks) {
      ++(row.rank && row.role == model::Role::rank ? ranks : others);
      failed += row.status == model::RankStatus::failed ? 1 : 0;
      job_world = std::max(job_world, row.world_size.value_or(0));
      if (row.dump.empty() && !row.host.empty()) hosts.insert(row.host);
    }
    world += job_world;
  }
  for (const auto& history : report.processes) {
    if (!history.samples.empty() && history.last().dump.empty()) hosts.insert(history.last().host);
  }
  std::string what;
  if (ranks == 0) {
    what = counted(others, "process", "processes");
  } else if (static_cast<std::size_t>(world) > ranks) {
    what = fmt::format("{} of {} ranks", ranks, world);
  } else {
    what = counted(ranks, "rank", "ranks");
  }
  if (failed > 0) what += fmt::format(" ({} not read)", failed);
  if (hosts.empty()) return what;
  const std::string names = fitting_list(folded_hosts(hosts), hosts.size(), kHostColumns);
  if (hosts.size() == 1) return fmt::format("{} on {}", what, names);
  return fmt::format("{} on {} ({})", what, counted(hosts.size(), "host", "hosts"), names);
}

/// "2 samples, 2 s apart"; "from dumps".
std::string how_often(const model::Report& report) {
  const model::Sampling& sampling = report.sampling;
  if (sampling.samples <= 0 && !report.processes.empty()) return "from dumps";
  const auto samples = static_cast<std::size_t>(sampling.samples < 0 ? 0 : sampling.samples);
  std::string sampled = counted(samples, "sample", "samples");
  if (samples > 1) sampled += fmt::format(", {} apart", model::duration(sampling.gap_s));
  return sampled;
}

std::string joined(const std::vector<std::string>& texts) {
  std::string out;
  for (const auto& text : texts) out += (out.empty() ? "" : ", ") + printable(text);
  return out;
}

}  // namespace

std::string stop_summary(const model::Sampling& sampling) {
  const auto threads = static_cast<std::size_t>(sampling.threads_stopped);
  if (sampling.threads_stopped <= 0) return "not stopped";
  const std::string time = short_time(sampling.stopped_us_total);
  if (sampling.stop == "all") return "stopped " + time;
  const std::string who = counted(threads, "thread", "threads");
  return fmt::format("stopped {} for {}{}", who, time, threads == 1 ? "" : " in all");
}

std::vector<std::string> header_parts(const model::Report& report) {
  const model::Sampling& sampling = report.sampling;
  std::vector<std::string> parts{"hangstack " + printable(report.tool_version), utc_time(report.created_unix_s),
                                 what_was_sampled(report)};
  parts.push_back(how_often(report));
  if (sampling.samples > 0) parts.push_back(stop_summary(sampling));
  if (!sampling.asked.empty()) parts.push_back("asked: " + joined(sampling.asked));
  if (!sampling.disturbed.empty()) parts.push_back("DISTURBED: " + joined(sampling.disturbed));
  return parts;
}

std::string job_title(const model::Job& job) {
  std::size_t ranks = 0;
  for (const auto& row : job.ranks) ranks += row.rank && row.role == model::Role::rank ? 1 : 0;
  return "JOB " + printable(job.job) + (ranks > 0 ? "   " + counted(ranks, "rank", "ranks") : std::string());
}

}  // namespace hangstack::report
