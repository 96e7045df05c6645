#include <fmt/core.h>

#include "cli/commands.h"
#include "cli/targets.h"
#include "cli/terminal.h"
#include "sampler/proc/preflight.h"

namespace hangstack::cli {

ExitStatus run_doctor(const Options& options) {
  const auto pids = choose_targets(options);
  if (!pids) {
    print_error(pids.error());
    return pids.error().code == model::ErrorCode::usage ? ExitStatus::usage : ExitStatus::partial;
  }
  const sampler::ProcFiles proc;
  const sampler::Reader reader = sampler::read_reader(proc);
  ExitStatus status = ExitStatus::report_made;
  for (const std::int32_t pid : *pids) {
    const auto access = sampler::check_target(proc, reader, pid);
    if (!access) {
      fmt::print("no   {}\n     {}\n", access.error().message, access.error().fix);
      status = ExitStatus::partial;
      continue;
    }
    fmt::print("yes  pid {} can be read\n", pid);
    for (const model::Error& limit : access->limits) fmt::print("     but {}\n     {}\n", limit.message, limit.fix);
  }
  return status;
}

}  // namespace hangstack::cli
