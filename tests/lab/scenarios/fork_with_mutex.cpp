// A cache in native code, with the mutex that its look-ups take.

#include <unistd.h>

#include <mutex>

namespace {
std::mutex cache;
}

/// Holds the mutex from when it writes to `begun` until it reads from `forked`: a race in the field, certain here.
extern "C" void refresh(int begun, int forked) {
  const std::lock_guard<std::mutex> guard(cache);
  char byte = 0;
  if (write(begun, &byte, 1) != 1 || read(forked, &byte, 1) != 1) _exit(1);
}

extern "C" void look_up() { const std::lock_guard<std::mutex> guard(cache); }
