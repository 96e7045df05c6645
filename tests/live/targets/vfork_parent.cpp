// The main thread waits in vfork(2) (state D) for a child that waits for the end of stdin; a second thread waits too.
// Says "ready" from the child.

#include <cstdlib>
#include <thread>

#include "tests/live/targets/target.h"

namespace {

[[gnu::noinline]] int wait_in_vfork() {
  // The child borrows this stack until it exits: it calls the kernel only.
  const pid_t child = ::vfork();
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::write(STDOUT_FILENO, "ready\n", 6);
    char c = 0;
    while (::read(STDIN_FILENO, &c, 1) > 0) {
    }
    ::_exit(0);
  }
  return child > 0 ? 0 : 1;
}

}  // namespace

int main() {
  targets::die_with_parent();
  std::thread([] { ::pause(); }).detach();
  const int status = wait_in_vfork();
  ::_exit(status);
}
