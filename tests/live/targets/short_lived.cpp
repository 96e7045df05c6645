// short_lived US: 4 threads for that many microseconds after a line on stdin, then the end. Says "ready".

#include <cstdlib>
#include <ctime>
#include <thread>

#include "tests/live/targets/target.h"

int main(int argc, char** argv) {
  targets::die_with_parent();
  const long us = argc > 1 ? std::atol(argv[1]) : 0;
  for (int i = 0; i < 4; ++i) std::thread([] { ::pause(); }).detach();
  targets::say("ready");
  std::string line;
  targets::hear(line);
  const timespec rest{us / 1'000'000, us % 1'000'000 * 1000};
  ::nanosleep(&rest, nullptr);
  ::_exit(0);
}
