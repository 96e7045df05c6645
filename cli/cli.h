#pragma once
// The command line: the only room that knows all others.

namespace hangstack::cli {

/// Runs hangstack and returns its exit status (design section 5).
int run(int argc, char** argv);

}  // namespace hangstack::cli
