// A launcher with ranks and their workers. `family launch N`: N children with RANK and LOCAL_RANK in their environment,
// each of which forks a child with a name of its own and one without. Says "launcher PID", "rank N PID", "named PID",
// "unnamed PID". `family wait`: says "ready". All wait for the end of stdin.
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

void wait_for_the_end() {
  char byte = 0;
  while (::read(0, &byte, 1) > 0) {
  }
}

void say(const std::string& line) {
  const std::string whole = line + "\n";
  if (::write(1, whole.data(), whole.size()) < 0) std::_Exit(1);
}

void fork_worker(const char* what, const char* name) {
  if (::fork() != 0) return;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (name != nullptr) ::prctl(PR_SET_NAME, name);
  say(std::string(what) + " " + std::to_string(::getpid()));
  wait_for_the_end();
  std::_Exit(0);
}

void work(const char* rank) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  say("rank " + std::string(rank) + " " + std::to_string(::getpid()));
  fork_worker("named", "pt_data_worker");
  fork_worker("unnamed", nullptr);
  wait_for_the_end();
}

void launch(int count) {
  say("launcher " + std::to_string(::getpid()));
  for (int i = 0; i < count; ++i) {
    if (::fork() != 0) continue;
    const std::string rank = std::to_string(i);
    ::setenv("RANK", rank.c_str(), 1);
    ::setenv("LOCAL_RANK", rank.c_str(), 1);
    ::setenv("WORLD_SIZE", std::to_string(count).c_str(), 1);
    ::execl("/proc/self/exe", "train", "work", rank.c_str(), nullptr);
    std::_Exit(1);
  }
  wait_for_the_end();
}

}  // namespace

int main(int argc, char** argv) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const std::string what = argc > 1 ? argv[1] : "wait";
  if (what == "launch" && argc > 2) launch(std::atoi(argv[2]));
  if (what == "work" && argc > 2) work(argv[2]);
  if (what == "wait") {
    say("ready");
    wait_for_the_end();
  }
  while (::wait(nullptr) > 0) {
  }
  return 0;
}
