#include "cli/commands.h"
#include "cli/explain.h"
#include "cli/terminal.h"

namespace hangstack::cli {

ExitStatus run_explain(const Options& options) {
  const auto text = explain(options.topic, options.topic_name);
  if (!text) {
    print_error(text.error());
    return ExitStatus::usage;
  }
  print(stdout, std::string_view(*text));
  return ExitStatus::report_made;
}

}  // namespace hangstack::cli
