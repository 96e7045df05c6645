#pragma once
// What every target program does: says when it is ready, ends when its stdin closes, dies with the test.

#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <string>

namespace targets {

inline void die_with_parent() { ::prctl(PR_SET_PDEATHSIG, SIGKILL); }

/// One line on stdout, written at once.
inline void say(const std::string& line) {
  const std::string text = line + "\n";
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

/// The next line of stdin without its newline; false at its end.
inline bool hear(std::string& line) {
  line.clear();
  char c = 0;
  while (::read(STDIN_FILENO, &c, 1) == 1) {
    if (c == '\n') return true;
    line += c;
  }
  return false;
}

inline void wait_for_end() {
  std::string line;
  while (hear(line)) {
  }
}

inline long own_tid() { return ::syscall(SYS_gettid); }

}  // namespace targets
