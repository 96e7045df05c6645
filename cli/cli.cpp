#include "cli/cli.h"

#include <fmt/core.h>

namespace hangstack::cli {

int run(int /*argc*/, char** /*argv*/) {
  fmt::print("hangstack {}\n", HANGSTACK_VERSION);
  return 0;
}

}  // namespace hangstack::cli
