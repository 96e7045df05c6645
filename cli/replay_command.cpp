#include "cli/capture_folder.h"
#include "cli/commands.h"
#include "cli/pipeline.h"
#include "cli/terminal.h"

namespace hangstack::cli {

ExitStatus run_replay(const Options& options) {
  auto saved = load_session(options.capture_folder);
  if (!saved) {
    print_error(saved.error());
    return ExitStatus::nothing_sampled;
  }
  symbolizer::Symbolizer symbolizer({.native = options.native, .python = options.python});
  if (const auto loaded = symbolizer.load_facts(saved->facts_json); !loaded) {
    print_error(loaded.error());
    return ExitStatus::nothing_sampled;
  }
  const model::Report report = make_report(std::move(saved->session), symbolizer);
  const bool written = write_outputs(report, options);
  for (const model::Job& job : report.jobs) {
    if (options.check && job.verdict.hung == model::Hung::yes) return ExitStatus::hang_found;
  }
  return written ? ExitStatus::report_made : ExitStatus::partial;
}

}  // namespace hangstack::cli
