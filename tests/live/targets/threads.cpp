// threads SLEEPERS SPINNERS: that many threads blocked in a condition wait and that many that compute. Prints "ready
// PID" once all run; ends when stdin closes.

#include <sys/prctl.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

namespace {

std::atomic<int> g_running{0};
std::atomic<bool> g_end{false};
std::mutex g_mutex;
std::condition_variable g_condition;

[[gnu::noinline]] void wait_for_the_end() {
  std::unique_lock lock(g_mutex);
  ++g_running;
  g_condition.wait(lock, [] { return g_end.load(); });
}

[[gnu::noinline]] void compute_until_the_end() {
  ++g_running;
  volatile unsigned long count = 0;
  while (!g_end) count = count + 1;
}

}  // namespace

int main(int argc, char** argv) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int sleepers = argc > 1 ? std::atoi(argv[1]) : 1;
  const int spinners = argc > 2 ? std::atoi(argv[2]) : 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < sleepers; ++i) threads.emplace_back(wait_for_the_end);
  for (int i = 0; i < spinners; ++i) threads.emplace_back(compute_until_the_end);
  while (g_running < sleepers + spinners) std::this_thread::yield();
  std::printf("ready %d\n", ::getpid());
  std::fflush(stdout);
  while (std::getchar() != EOF) {
  }
  {
    const std::scoped_lock lock(g_mutex);
    g_end = true;
  }
  g_condition.notify_all();
  for (std::thread& thread : threads) thread.join();
}
