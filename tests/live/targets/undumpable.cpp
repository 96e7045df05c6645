// Becomes the user and group of its argument, forbids others of that user to read it, and waits for the end of stdin.
#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>

int main(int argc, char** argv) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const auto id = static_cast<unsigned>(argc > 1 ? std::atoi(argv[1]) : 65534);
  if (::setresgid(id, id, id) != 0 || ::setresuid(id, id, id) != 0) return 1;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // forgotten when the user changes
  ::prctl(PR_SET_DUMPABLE, 0);
  std::puts("ready");
  std::fflush(stdout);
  char byte = 0;
  while (::read(0, &byte, 1) > 0) {
  }
  return 0;
}
