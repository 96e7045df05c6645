#include "cli/targets.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

#include "sampler/discover/discover.h"

namespace hangstack::cli {

model::Expected<std::vector<std::int32_t>> choose_targets(const Options& options) {
  const sampler::ProcFiles proc;
  std::vector<std::int32_t> pids = options.pids;
  if (!options.pgrep.empty()) {
    const auto matching = sampler::find_by_command_line(proc, options.pgrep);
    if (!matching) return tl::make_unexpected(matching.error());
    for (const std::int32_t pid : *matching) {
      if (std::ranges::find(pids, pid) == pids.end()) pids.push_back(pid);
    }
    if (pids.empty()) {
      return model::failure(model::ErrorCode::not_found,
                            fmt::format("no process has a command line that matches \"{}\"", options.pgrep),
                            "see what runs: ps -eo pid,args");
    }
  }
  // "bash -c 'hangstack --pids $(pgrep -f train.py)'" and its like (ssh) find the shell too, or what became hangstack.
  if (pids.size() > 1) {
    const std::set<std::int32_t> own = sampler::own_shells(proc);
    std::vector<std::int32_t> others = pids;
    std::erase_if(others, [&](std::int32_t pid) { return own.contains(pid); });
    if (!others.empty()) pids = std::move(others);
  }
  if (pids.empty()) pids = sampler::find_ranks(proc);
  if (pids.empty()) {
    return model::failure(model::ErrorCode::not_found, "no rank of a distributed job was found on this host",
                          "name the processes: hangstack --pids $(pgrep -f train.py)");
  }
  return options.children ? sampler::with_descendants(proc, pids) : pids;
}

std::vector<model::LeftOut> find_left_out(const Session& session) {
  if (session.samples.empty()) return {};
  std::map<std::string, std::set<int>> ranks;
  std::map<std::string, int> world_sizes;
  std::set<std::int32_t> tried;
  std::string host;
  for (const SampledProcess& process : session.samples.front()) {
    const model::RankIdentity& identity = process.capture.identity;
    tried.insert(process.capture.pid);
    host = process.capture.host;
    if (identity.job_key.empty() || !identity.rank || !identity.world_size) continue;
    ranks[identity.job_key].insert(*identity.rank);
    world_sizes[identity.job_key] = *identity.world_size;
  }
  for (const model::FailedProcess& failed : session.failed) tried.insert(failed.pid);
  std::set<std::string> incomplete;
  for (const auto& [key, world_size] : world_sizes) {
    if (ranks[key].size() < static_cast<std::size_t>(std::max(world_size, 0))) incomplete.insert(key);
  }
  std::vector<model::LeftOut> left_out;
  if (incomplete.empty()) return left_out;
  for (const auto& [pid, identity] : sampler::find_ranks_of(sampler::ProcFiles(), incomplete)) {
    if (tried.contains(pid) || !identity.rank || ranks[identity.job_key].contains(*identity.rank)) continue;
    left_out.push_back({host, pid, *identity.rank, identity.job_key});
  }
  return left_out;
}

}  // namespace hangstack::cli
