// The main thread ends; a worker lives on. Says "WORKER_TID", then "ready".

#include <pthread.h>

#include <thread>

#include "tests/live/targets/target.h"

int main() {
  targets::die_with_parent();
  std::thread([] {
    targets::say(std::to_string(targets::own_tid()));
    targets::say("ready");
    targets::wait_for_end();
    ::_exit(0);
  }).detach();
  ::pthread_exit(nullptr);
}
