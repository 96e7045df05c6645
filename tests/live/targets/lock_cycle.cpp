// lock_cycle: two threads that each hold a mutex and wait for the other's. Says "ready TID TID" once both hold theirs.

#include <atomic>
#include <mutex>
#include <string>
#include <thread>

#include "tests/live/targets/target.h"

namespace {

std::mutex g_first;
std::mutex g_second;
std::atomic<long> g_tids[2];

[[gnu::noinline]] void lock_both(std::mutex& mine, std::mutex& other, std::atomic<long>& tid) {
  const std::scoped_lock held(mine);
  tid = targets::own_tid();
  while (g_tids[0] == 0 || g_tids[1] == 0) std::this_thread::yield();
  other.lock();
}

}  // namespace

int main() {
  targets::die_with_parent();
  std::thread([] { lock_both(g_first, g_second, g_tids[0]); }).detach();
  std::thread([] { lock_both(g_second, g_first, g_tids[1]); }).detach();
  while (g_tids[0] == 0 || g_tids[1] == 0) std::this_thread::yield();
  targets::say("ready " + std::to_string(g_tids[0]) + " " + std::to_string(g_tids[1]));
  targets::wait_for_end();
  ::_exit(0);
}
