// A rank without Python: it waits for good in receive_from_peer().

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

__attribute__((noinline)) static int receive_from_peer(void) { return pause(); }

__attribute__((noinline)) static int step(void) { return receive_from_peer() + 1; }

int main(void) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  return step();
}
