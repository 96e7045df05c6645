// exec_chain [N]: starts itself again and again (exec), with a second thread each time, until stdin closes.
// Says "ready" the first time.

#include <poll.h>

#include <cstdlib>
#include <thread>

#include "tests/live/targets/target.h"

int main(int argc, char** argv) {
  targets::die_with_parent();
  if (argc < 2) targets::say("ready");
  std::thread([] { ::pause(); }).detach();
  pollfd in{STDIN_FILENO, POLLIN, 0};
  if (::poll(&in, 1, 1) != 0) return 0;
  ::execl("/proc/self/exe", argv[0], "again", nullptr);
  return 1;
}
