#include "cli/capture_folder.h"
#include "cli/commands.h"
#include "cli/pipeline.h"
#include "cli/terminal.h"
#include "cli/thin.h"

namespace hangstack::cli {

ExitStatus run_replay(const Options& options) {
  auto saved = load_session(options.capture_folder);
  if (!saved) {
    print_error(saved.error());
    return ExitStatus::nothing_sampled;
  }
  const symbolizer::SymbolizerOptions how{.native = options.native, .python = options.python};
  if (!options.thinned_folder.empty()) {
    if (const auto done = save_thinned(*saved, how, options.thinned_folder); !done) {
      print_error(done.error());
      return ExitStatus::usage;
    }
  }
  symbolizer::Symbolizer symbolizer(how);
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
