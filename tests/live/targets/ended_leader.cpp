// Its main thread ends, another lives on until the end of stdin. Says the tid of that one.
#include <pthread.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>

namespace {

void* wait_for_the_end(void*) {
  std::printf("%d\n", ::gettid());
  std::fflush(stdout);
  char byte = 0;
  while (::read(0, &byte, 1) > 0) {
  }
  std::_Exit(0);
}

}  // namespace

int main() {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  pthread_t thread{};
  if (::pthread_create(&thread, nullptr, wait_for_the_end, nullptr) != 0) return 1;
  ::pthread_exit(nullptr);
}
