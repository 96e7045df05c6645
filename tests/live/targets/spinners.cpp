// spinners BUSY IDLE: that many threads that compute, and that many that wait. Says "BUSY_TID..." on one line, then
// "ready". Every computing thread watches the clock: for the line "gap" it says the longest pause in microseconds that
// one of them saw since the last "gap".

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <list>
#include <mutex>
#include <thread>

#include "tests/live/targets/target.h"

namespace {

struct Busy {
  std::atomic<long> tid{0};
  std::atomic<long> longest_us{0};
};

void compute(Busy& busy) {
  busy.tid = targets::own_tid();
  auto last = std::chrono::steady_clock::now();
  while (true) {
    const auto now = std::chrono::steady_clock::now();
    const long us = std::chrono::duration_cast<std::chrono::microseconds>(now - last).count();
    if (us > busy.longest_us) busy.longest_us = us;
    last = now;
  }
}

void wait() {
  static std::mutex mutex;
  static std::condition_variable condition;
  std::unique_lock lock(mutex);
  condition.wait(lock, [] { return false; });
}

}  // namespace

int main(int argc, char** argv) {
  targets::die_with_parent();
  const int busy_count = argc > 1 ? std::atoi(argv[1]) : 1;
  const int idle_count = argc > 2 ? std::atoi(argv[2]) : 0;
  std::list<Busy> all(static_cast<std::size_t>(busy_count));
  for (int i = 0; i < idle_count; ++i) std::thread(wait).detach();
  for (Busy& busy : all) std::thread(compute, std::ref(busy)).detach();
  std::string line;
  for (Busy& busy : all) {
    while (busy.tid == 0) std::this_thread::yield();
    line += std::to_string(busy.tid) + " ";
  }
  targets::say(line);
  targets::say("ready");
  while (targets::hear(line)) {
    long longest = 0;
    for (Busy& busy : all) longest = std::max(longest, busy.longest_us.exchange(0));
    targets::say(std::to_string(longest));
  }
  ::_exit(0);
}
