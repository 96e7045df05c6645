#include "tests/support/program.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <stdexcept>

namespace hangstack::tests {
namespace {

struct Pipe {
  Pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("pipe2 failed");
    read_end = ends[0];
    write_end = ends[1];
  }
  int read_end = -1;
  int write_end = -1;
};

/// Never returns in the child.
std::int32_t spawn(const std::vector<std::string>& words, const Environment& environment, int in, int out, int err) {
  const std::int32_t pid = ::fork();
  if (pid != 0) return pid;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (in >= 0) ::dup2(in, STDIN_FILENO);
  ::dup2(out, STDOUT_FILENO);
  if (err >= 0) ::dup2(err, STDERR_FILENO);
  for (const auto& [name, value] : environment) ::setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  ::execvp(argv[0], argv.data());
  std::perror(argv[0]);
  ::_exit(127);
}

int status_of(int wait_status) {
  return WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 128 + WTERMSIG(wait_status);
}

int reap(std::int32_t pid) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return status_of(status);
}

void close_end(int& fd) {
  if (fd >= 0) ::close(fd);
  fd = -1;
}

}  // namespace

ProgramResult run_program(const std::vector<std::string>& words, const Environment& environment) {
  Pipe out;
  Pipe err;
  const std::int32_t pid = spawn(words, environment, -1, out.write_end, err.write_end);
  close_end(out.write_end);
  close_end(err.write_end);
  ProgramResult result;
  std::array<pollfd, 2> ends{{{out.read_end, POLLIN, 0}, {err.read_end, POLLIN, 0}}};
  const std::array<std::string*, 2> texts{&result.out, &result.err};
  while (ends[0].fd >= 0 || ends[1].fd >= 0) {
    if (::poll(ends.data(), ends.size(), -1) < 0) continue;
    for (std::size_t i = 0; i < ends.size(); ++i) {
      if (ends[i].fd < 0 || ends[i].revents == 0) continue;
      std::array<char, 65536> chunk{};
      const ssize_t n = ::read(ends[i].fd, chunk.data(), chunk.size());
      if (n > 0) texts[i]->append(chunk.data(), static_cast<std::size_t>(n));
      if (n == 0 || (n < 0 && errno != EINTR)) close_end(ends[i].fd);
    }
  }
  result.status = reap(pid);
  return result;
}

Target::Target(const std::vector<std::string>& words, const Environment& environment) {
  Pipe in;
  Pipe out;
  pid_ = spawn(words, environment, in.read_end, out.write_end, -1);
  ::close(in.read_end);
  ::close(out.write_end);
  in_ = in.write_end;
  out_ = out.read_end;
}

Target::~Target() {
  if (!reaped_) kill();
  close_end(in_);
  close_end(out_);
}

std::string Target::read_line() {
  while (true) {
    if (const auto end = buffered_.find('\n'); end != std::string::npos) {
      std::string line = buffered_.substr(0, end);
      buffered_.erase(0, end + 1);
      return line;
    }
    std::array<char, 4096> chunk{};
    const ssize_t n = ::read(out_, chunk.data(), chunk.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return std::exchange(buffered_, {});
    buffered_.append(chunk.data(), static_cast<std::size_t>(n));
  }
}

void Target::write(const std::string& text) {
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t n = ::write(in_, text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;
    done += static_cast<std::size_t>(n);
  }
}

int Target::finish() {
  close_end(in_);
  if (!reaped_) status_ = reap(pid_);
  reaped_ = true;
  return status_;
}

void Target::kill() {
  if (reaped_) return;
  ::kill(pid_, SIGKILL);
  status_ = reap(pid_);
  reaped_ = true;
}

bool wait_for_state(std::int32_t pid, std::int32_t tid, const std::string& states) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  const std::string path = "/proc/" + std::to_string(pid) + "/task/" + std::to_string(tid) + "/stat";
  while (std::chrono::steady_clock::now() < deadline) {
    std::ifstream stream(path);
    std::string text;
    if (!std::getline(stream, text)) return false;
    const auto end = text.rfind(") ");
    if (end != std::string::npos && states.find(text[end + 2]) != std::string::npos) return true;
    ::sched_yield();
  }
  return false;
}

}  // namespace hangstack::tests
