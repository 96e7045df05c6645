#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>

#include "cli/commands.h"
#include "cli/pipeline.h"
#include "cli/targets.h"
#include "cli/terminal.h"

namespace hangstack::cli {
namespace {

volatile std::sig_atomic_t g_interrupts = 0;

/// The first ^C ends the sampling and reports what is there; the second ends at once. The children that read
/// targets die with their parent, and the kernel releases whatever they held.
void on_interrupt(int /*signal*/) {
  g_interrupts = g_interrupts + 1;
  if (g_interrupts > 1) ::_exit(static_cast<int>(ExitStatus::interrupted));
}

void catch_interrupts() {
  struct sigaction action{};
  action.sa_handler = on_interrupt;
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
}

bool has_stack(const model::ProcessHistory& history) {
  return std::ranges::any_of(history.samples, [](const model::ProcessSnapshot& process) {
    return std::ranges::any_of(process.threads, [](const model::Thread& t) { return !t.frames.empty(); });
  });
}

ExitStatus status_of(const model::Report& report, std::size_t pids, const Options& options) {
  const auto with_stack = static_cast<std::size_t>(std::ranges::count_if(report.processes, has_stack));
  const bool hang =
      std::ranges::any_of(report.jobs, [](const auto& job) { return job.verdict.hung == model::Hung::yes; });
  if (with_stack == 0) return ExitStatus::nothing_sampled;
  if (options.check && hang) return ExitStatus::hang_found;
  const bool named = options.pids_given || !options.pgrep.empty();
  if (named && with_stack < pids) return ExitStatus::partial;
  return ExitStatus::report_made;
}

}  // namespace

ExitStatus run_sample(const Options& options) {
  catch_interrupts();
  const auto pids = choose_targets(options);
  if (!pids) {
    print_error(pids.error());
    return pids.error().code == model::ErrorCode::usage ? ExitStatus::usage : ExitStatus::nothing_sampled;
  }
  // Before a watch of minutes, not after it.
  if (!can_write_outputs(options)) return ExitStatus::usage;
  if (!options.capture_folder.empty()) {
    if (const auto ready = prepare_capture_folder(options.capture_folder); !ready) {
      print_error(ready.error());
      return ExitStatus::usage;
    }
  }
  symbolizer::Symbolizer symbolizer({.native = options.native, .python = options.python});
  ProgressLine line(!options.quiet);
  Session session = take_samples(
      *pids, options, symbolizer, [&](std::string_view text) { line.show(text); }, [] { return g_interrupts > 0; });
  line.clear();
  if (g_interrupts > 0) {
    print(stderr, "hangstack: interrupted: the report is of {} of {} samples\n", session.samples.size(),
          options.samples);
  }
  bool written = true;
  if (!options.capture_folder.empty()) {
    if (const auto kept = save_session(session, symbolizer.facts_json(), options.capture_folder); !kept) {
      print_error(kept.error());
      written = false;
    } else if (!options.quiet) {
      print(stderr, "captures kept in {}: they hold stack memory, as secret as the job itself\n",
            options.capture_folder);
    }
  }
  const model::Report report = make_report(std::move(session), symbolizer);
  written = write_outputs(report, options) && written;
  if (g_interrupts > 0) return ExitStatus::interrupted;
  const ExitStatus status = status_of(report, pids->size(), options);
  return written || status != ExitStatus::report_made ? status : ExitStatus::partial;
}

}  // namespace hangstack::cli
