// untouched_stack: its only thread sleeps in a function called from one whose frame has pages that were never written.
// Prints "inner outer page": the addresses of a mark below the untouched pages, of one above, and of an untouched byte.

#include <unistd.h>

#include <cstdio>
#include <cstring>

#include "tests/live/targets/target.h"

namespace {

constexpr int kUntouchedBytes = 1 << 16;
constexpr unsigned long kMark = 0x6d61726b6d61726bUL;

[[gnu::noinline]] void sleep_below(const volatile unsigned long* outer, const volatile char* untouched) {
  volatile unsigned long inner = kMark;
  char line[100];
  std::snprintf(line, sizeof line, "%p %p %p", const_cast<unsigned long*>(&inner), const_cast<unsigned long*>(outer),
                const_cast<char*>(untouched));
  targets::say(line);
  targets::wait_for_end();
  if (inner != *outer) ::_exit(3);
}

[[gnu::noinline]] void leave_pages_untouched(const volatile unsigned long* outer) {
  volatile char untouched[kUntouchedBytes];
  asm volatile("" : "=m"(untouched));  // to the compiler it is written; its pages are not
  sleep_below(outer, untouched + kUntouchedBytes / 2);
}

}  // namespace

int main() {
  targets::die_with_parent();
  volatile unsigned long outer = kMark;
  leave_pages_untouched(&outer);
}
