// Creates and joins threads without end, 8 at a time. Says "ready" after the first round.

#include <list>
#include <thread>

#include "tests/live/targets/target.h"

int main() {
  targets::die_with_parent();
  std::thread([] {
    targets::wait_for_end();
    ::_exit(0);
  }).detach();
  bool first = true;
  while (true) {
    std::list<std::thread> round;
    for (int i = 0; i < 8; ++i) round.emplace_back([] {});
    for (std::thread& thread : round) thread.join();
    if (first) targets::say("ready");
    first = false;
  }
}
