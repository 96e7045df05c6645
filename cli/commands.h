#pragma once
// One function per subcommand. Each prints to stdout and stderr and returns the exit status.

#include "cli/exit_status.h"
#include "cli/options.h"

namespace hangstack::cli {

ExitStatus run_sample(const Options& options);
ExitStatus run_import(const Options& options);
ExitStatus run_replay(const Options& options);
ExitStatus run_doctor(const Options& options);
ExitStatus run_explain(const Options& options);

}  // namespace hangstack::cli
