#include <fmt/core.h>

#include <algorithm>

#include "cli/commands.h"
#include "cli/targets.h"
#include "cli/terminal.h"
#include "report/printable.h"
#include "sampler/doctor.h"

namespace hangstack::cli {
namespace {

void print_check(const sampler::Check& check) {
  const char* mark = check.ok ? "ok  " : check.needed ? "NO  " : "no  ";
  print(stdout, "{}{}: {}\n", mark, report::printable(check.name), report::printable(check.finding));
  if (!check.fix.empty()) print(stdout, "      fix: {}\n", report::printable(check.fix));
}

}  // namespace

ExitStatus run_doctor(const Options& options) {
  std::vector<std::int32_t> pids;
  // Without pids, and without ranks on the host, the host itself is still worth a look.
  if (const auto chosen = choose_targets(options)) {
    pids = *chosen;
  } else if (chosen.error().code == model::ErrorCode::usage || options.pids_given || !options.pgrep.empty()) {
    print_error(chosen.error());
    return chosen.error().code == model::ErrorCode::usage ? ExitStatus::usage : ExitStatus::partial;
  }
  const auto checks = sampler::examine(sampler::ProcFiles{}, pids, options.sampling.deadline);
  std::int32_t pid = -1;
  for (const sampler::Check& check : checks) {
    if (check.pid != pid) print(stdout, "{}\n", check.pid == 0 ? "this host" : fmt::format("\npid {}", check.pid));
    pid = check.pid;
    print_check(check);
  }
  const bool broken = std::ranges::any_of(checks, [](const auto& check) { return check.needed && !check.ok; });
  return broken ? ExitStatus::partial : ExitStatus::report_made;
}

}  // namespace hangstack::cli
