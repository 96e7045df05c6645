// Starts a program as posix_spawn does; the program's file never comes, so vfork does not return.

#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>

extern "C" int start_program() {
  const pid_t child = vfork();
  if (child != 0) return child;
  // The child uses its parent's memory and stack: it must not leave this function.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (;;) pause();
}
