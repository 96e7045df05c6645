// tracer PID: traces every thread of PID and holds it stopped. Says "ready"; lets go and ends when stdin closes.

#include <sys/ptrace.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <vector>

#include "tests/live/targets/target.h"

int main(int argc, char** argv) {
  targets::die_with_parent();
  if (argc < 2) return 2;
  std::vector<pid_t> tids;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/" + std::string(argv[1]) + "/task"))
    tids.push_back(std::atoi(entry.path().filename().c_str()));
  for (const pid_t tid : tids) {
    int status = 0;
    if (::ptrace(PTRACE_SEIZE, tid, nullptr, nullptr) != 0) return 3;
    if (::ptrace(PTRACE_INTERRUPT, tid, nullptr, nullptr) != 0) return 4;
    if (::waitpid(tid, &status, __WALL) != tid) return 5;
  }
  targets::say("ready");
  targets::wait_for_end();
  for (const pid_t tid : tids) ::ptrace(PTRACE_DETACH, tid, nullptr, nullptr);
  return 0;
}
