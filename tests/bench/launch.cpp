// Runs one or several programs at once and says what they cost. A small process, because ru_maxrss of a program starts
// at the size of the one that forked it (Linux fs/exec.c: exec_mmap keeps the old high-water mark).
//
// launch OUTPUT CPU DEADLINE_S COMMAND... [";;" COMMAND...]
// OUTPUT.N and OUTPUT.N.err get what command N prints; CPU -1 leaves all cores. One line of JSON on stdout. All of it
// runs in one session of its own, raised in priority when that is allowed: with sched_autogroup, sessions share a core,
// whatever the niceness of their processes.

#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

constexpr int kPriority = -10;

using Words = std::vector<char*>;

std::vector<Words> split(int argc, char** argv) {
  std::vector<Words> commands(1);
  for (int i = 0; i < argc; ++i) {
    if (std::strcmp(argv[i], ";;") == 0) {
      commands.emplace_back();
    } else {
      commands.back().push_back(argv[i]);
    }
  }
  return commands;
}

void enter_session(int cpu) {
  setsid();
  setpriority(PRIO_PROCESS, 0, kPriority);
  if (std::FILE* group = std::fopen("/proc/self/autogroup", "we")) {
    std::fprintf(group, "%d", kPriority);
    std::fclose(group);
  }
  if (cpu >= 0) {
    cpu_set_t cpus;
    CPU_ZERO(&cpus);
    CPU_SET(cpu, &cpus);
    sched_setaffinity(0, sizeof cpus, &cpus);
  }
}

void redirect(const std::string& path, int to) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0 || dup2(file, to) < 0) _exit(126);
}

pid_t start(Words words, const std::string& output) {
  words.push_back(nullptr);
  const pid_t pid = fork();
  if (pid != 0) return pid;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  redirect(output, STDOUT_FILENO);
  redirect(output + ".err", STDERR_FILENO);
  redirect("/dev/null", STDIN_FILENO);
  execvp(words[0], words.data());
  _exit(127);
}

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

std::vector<pid_t> running;

void kill_running(int /*signal*/) {
  for (const pid_t pid : running) {
    if (pid > 0) kill(pid, SIGKILL);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) {
    std::fprintf(stderr, "usage: launch OUTPUT CPU DEADLINE_S COMMAND... [\";;\" COMMAND...]\n");
    return 2;
  }
  const std::vector<Words> commands = split(argc - 4, argv + 4);
  enter_session(std::atoi(argv[2]));
  running.resize(commands.size());
  std::signal(SIGALRM, kill_running);
  std::signal(SIGTERM, kill_running);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  alarm(static_cast<unsigned>(std::max(1, std::atoi(argv[3]))));

  double cpu = 0;
  long sum_kib = 0;
  long most_kib = 0;
  int worst = 0;
  const auto begin = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < commands.size(); ++i) {
    running[i] = start(commands[i], std::string(argv[1]) + "." + std::to_string(i));
  }
  for (pid_t& pid : running) {
    int status = 0;
    rusage usage{};
    while (wait4(pid, &status, 0, &usage) < 0 && errno == EINTR) {
    }
    pid = 0;
    cpu += seconds(usage.ru_utime) + seconds(usage.ru_stime);
    sum_kib += usage.ru_maxrss;
    most_kib = std::max(most_kib, usage.ru_maxrss);
    worst = std::max(worst, WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
  }
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
  std::printf("{\"wall_s\": %.6f, \"cpu_s\": %.6f, \"rss_sum_kib\": %ld, \"rss_most_kib\": %ld, \"status\": %d}\n",
              wall.count(), cpu, sum_kib, most_kib, worst);
}
