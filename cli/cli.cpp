#include "cli/cli.h"

#include <csignal>
#include <cstdio>

#include "cli/commands.h"
#include "cli/options.h"
#include "cli/terminal.h"

namespace hangstack::cli {

int run(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  const auto options = parse_options(argc, argv);
  if (!options) {
    print(stdout, std::string_view(options.error().out));
    print(stderr, std::string_view(options.error().err));
    return options.error().status;
  }
  switch (options->command) {
    case Command::sample: return static_cast<int>(run_sample(*options));
    case Command::import_dumps: return static_cast<int>(run_import(*options));
    case Command::replay: return static_cast<int>(run_replay(*options));
    case Command::doctor: return static_cast<int>(run_doctor(*options));
    case Command::explain: return static_cast<int>(run_explain(*options));
  }
  return static_cast<int>(ExitStatus::usage);
}

}  // namespace hangstack::cli
