// A process of N blocked threads, 20 frames deep each, in the waits that ranks are found in: condition variables,
// sleeps, pipes and poll. With a pause meter when its three arguments are given.
//
// thread_target THREADS [RECORD START_FIFO CPU]    prints "ready", ends when its stdin closes.

#include <poll.h>
#include <sys/prctl.h>
#include <sys/signal.h>
#include <unistd.h>

#include <array>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <latch>
#include <mutex>
#include <thread>

#include "tests/bench/pause_meter.h"

namespace {

constexpr int kDepth = 20;

struct Waits {
  std::mutex mutex;
  std::condition_variable condition;
  std::array<int, 2> pipe{};
};

void wait_somehow(Waits& waits, int kind) {
  std::array<char, 1> byte{};
  pollfd readable{waits.pipe[0], POLLIN, 0};
  switch (kind) {
    case 0: {
      std::unique_lock lock(waits.mutex);
      waits.condition.wait(lock, [] { return false; });
      break;
    }
    case 1: pause(); break;
    case 2:
      if (read(waits.pipe[0], byte.data(), byte.size()) < 0) std::abort();
      break;
    default: poll(&readable, 1, -1);
  }
}

[[gnu::noinline]] void descend(Waits& waits, std::latch& ready, int kind, int depth) {
  std::array<volatile char, 200> frame{};
  if (depth == 0) {
    ready.count_down();
    wait_somehow(waits, kind);
  } else {
    descend(waits, ready, kind, depth - 1);
  }
  frame[0] = 1;  // keeps the call from becoming a jump
}

}  // namespace

int main(int argc, char** argv) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (argc != 2 && argc != 5) {
    std::fprintf(stderr, "usage: thread_target THREADS [RECORD START_FIFO CPU]\n");
    return 2;
  }
  const bool metered = argc == 5;
  const int workers = std::atoi(argv[1]) - (metered ? 2 : 1);
  if (workers < 1) return 2;
  if (metered && pause_meter_start(argv[2], argv[3], std::atoi(argv[4])) != 0) return 1;
  Waits waits;
  if (pipe(waits.pipe.data()) != 0) return 1;
  std::latch ready(workers);
  for (int i = 0; i < workers; ++i) std::thread(descend, std::ref(waits), std::ref(ready), i % 4, kDepth).detach();
  ready.wait();
  std::puts("ready");
  std::fflush(stdout);
  while (std::getchar() != EOF) {
  }
  std::_Exit(0);
}
