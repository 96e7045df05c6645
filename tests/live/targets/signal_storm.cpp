// Counts queued real-time signals: SIGRTMIN with a sequence number each, sent by sigqueue(3). Three threads take them:
// one computes, one waits in a futex, one naps. Says "PID TID TID TID", then "ready". For the line "report" it says
// "received N", "lost N" (numbers up to the highest that never came), "doubled N".

#include <array>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <ctime>
#include <memory>
#include <mutex>
#include <thread>

#include "tests/live/targets/target.h"

namespace {

constexpr int kMaxSignals = 1 << 24;
std::unique_ptr<std::array<std::atomic<unsigned char>, kMaxSignals>> g_seen;
std::array<std::atomic<long>, 3> g_tids;

void take(int, siginfo_t* info, void*) {
  const int saved = errno;
  const int number = info->si_value.sival_int;
  if (info->si_code == SI_QUEUE && number >= 0 && number < kMaxSignals)
    (*g_seen)[static_cast<std::size_t>(number)].fetch_add(1);
  errno = saved;
}

void compute() {
  g_tids[0] = targets::own_tid();
  volatile unsigned long count = 0;
  while (true) count = count + 1;
}

void wait() {
  static std::mutex mutex;
  static std::condition_variable condition;
  g_tids[1] = targets::own_tid();
  std::unique_lock lock(mutex);
  condition.wait(lock, [] { return false; });
}

void nap() {
  g_tids[2] = targets::own_tid();
  const timespec moment{0, 200'000};
  while (true) ::nanosleep(&moment, nullptr);
}

void report() {
  long received = 0;
  long doubled = 0;
  long highest = -1;
  for (long i = 0; i < kMaxSignals; ++i) {
    const int times = (*g_seen)[static_cast<std::size_t>(i)];
    received += times > 0 ? 1 : 0;
    doubled += times > 1 ? 1 : 0;
    if (times > 0) highest = i;
  }
  targets::say("received " + std::to_string(received));
  targets::say("lost " + std::to_string(highest + 1 - received));
  targets::say("doubled " + std::to_string(doubled));
}

}  // namespace

int main() {
  targets::die_with_parent();
  g_seen = std::make_unique<std::array<std::atomic<unsigned char>, kMaxSignals>>();
  struct sigaction action{};
  action.sa_sigaction = take;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  ::sigaction(SIGRTMIN, &action, nullptr);
  for (const auto body : {compute, wait, nap}) std::thread(body).detach();
  std::string line = std::to_string(::getpid());
  for (auto& tid : g_tids) {
    while (tid == 0) std::this_thread::yield();
    line += " " + std::to_string(tid);
  }
  // The main thread takes no signals: it talks.
  sigset_t blocked;
  ::sigemptyset(&blocked);
  ::sigaddset(&blocked, SIGRTMIN);
  ::pthread_sigmask(SIG_BLOCK, &blocked, nullptr);
  targets::say(line);
  targets::say("ready");
  while (targets::hear(line)) {
    if (line == "report") report();
  }
  ::_exit(0);
}
