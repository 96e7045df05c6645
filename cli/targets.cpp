#include "cli/targets.h"

#include <fmt/core.h>

#include <algorithm>

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
  if (pids.empty()) pids = sampler::find_ranks(proc);
  if (pids.empty()) {
    return model::failure(model::ErrorCode::not_found, "no rank of a distributed job was found on this host",
                          "name the processes: hangstack --pids $(pgrep -f train.py)");
  }
  return options.children ? sampler::with_descendants(proc, pids) : pids;
}

}  // namespace hangstack::cli
