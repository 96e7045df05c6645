#include <malloc.h>

#include "cli/cli.h"

int main(int argc, char** argv) {
  // Captures are megabytes, and a run is short: memory that was taken is kept for the next one.
  constexpr int kKeptBytes = 64 << 20;
  ::mallopt(M_TRIM_THRESHOLD, kKeptBytes);
  ::mallopt(M_MMAP_THRESHOLD, kKeptBytes / 2);
  return hangstack::cli::run(argc, argv);
}
