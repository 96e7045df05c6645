#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <span>
#include <tuple>
#include <vector>

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

bool says_the_same(const sampler::Check& a, const sampler::Check& b) {
  return std::tie(a.name, a.ok, a.needed, a.finding, a.fix) == std::tie(b.name, b.ok, b.needed, b.finding, b.fix);
}

/// What is true of every pid is said once, then of each pid what is its own.
void print_pids(const std::vector<sampler::Check>& checks, std::span<const std::int32_t> pids) {
  std::vector<sampler::Check> shared;
  std::ranges::copy_if(checks, std::back_inserter(shared), [&](const sampler::Check& check) {
    const auto equal = std::ranges::count_if(checks, [&](const auto& other) { return says_the_same(check, other); });
    return pids.size() > 1 && check.pid == pids.front() && equal == std::ssize(pids);
  });
  if (!shared.empty()) print(stdout, "\nall {} processes\n", pids.size());
  std::ranges::for_each(shared, print_check);
  std::int32_t pid = 0;
  for (const sampler::Check& check : checks) {
    if (check.pid == 0 || std::ranges::any_of(shared, [&](const auto& s) { return says_the_same(check, s); })) continue;
    if (check.pid != pid) print(stdout, "\npid {}\n", check.pid);
    pid = check.pid;
    print_check(check);
  }
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
  print(stdout, "this host\n");
  std::ranges::for_each(checks, [](const auto& check) {
    if (check.pid == 0) print_check(check);
  });
  print_pids(checks, pids);
  const bool broken = std::ranges::any_of(checks, [](const auto& check) { return check.needed && !check.ok; });
  return broken ? ExitStatus::partial : ExitStatus::report_made;
}

}  // namespace hangstack::cli
