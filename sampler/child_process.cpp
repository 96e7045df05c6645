#include "sampler/child_process.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <malloc.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <utility>

namespace hangstack::sampler {
namespace {

constexpr int kPipeBytes = 1 << 20;

void reset_signals() {
  struct sigaction fresh{};
  fresh.sa_handler = SIG_DFL;
  for (int signal = 1; signal < NSIG; ++signal) ::sigaction(signal, &fresh, nullptr);
  fresh.sa_handler = SIG_IGN;
  for (const int signal : {SIGTSTP, SIGTTIN, SIGTTOU, SIGPIPE}) ::sigaction(signal, &fresh, nullptr);
  sigset_t mask;
  ::sigemptyset(&mask);
  ::sigaddset(&mask, SIGCHLD);
  ::sigprocmask(SIG_SETMASK, &mask, nullptr);
}

/// One heap for all threads, which never shrinks: what was touched once costs no page fault while a thread is held.
void keep_heap() {
  constexpr int kNever = 1 << 30;
  constexpr int kMostMmapThreshold = 32 << 20;  // HEAP_MAX_SIZE / 2 (malloc/malloc.c)
  ::mallopt(M_ARENA_MAX, 1);
  ::mallopt(M_TRIM_THRESHOLD, kNever);
  ::mallopt(M_MMAP_THRESHOLD, kMostMmapThreshold);
}

/// Keeps `kept` alone; gives its new number. Exits if that does not work.
int keep_only(int kept) {
  int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  // A root without devices: a file in memory takes what is written just as well.
  if (null < 0) null = ::memfd_create("null", MFD_CLOEXEC);
  if (null < 0) ::_exit(3);
  for (const int standard : {0, 1, 2}) {
    if (standard != kept) ::dup2(null, standard);
  }
  constexpr int kPlace = 3;
  if (kept != kPlace && ::dup2(kept, kPlace) < 0) ::_exit(3);
  if (::syscall(SYS_close_range, kPlace + 1, ~0U, 0) != 0) {
    const long limit = ::sysconf(_SC_OPEN_MAX);
    for (int other = kPlace + 1; other < limit && other < 65536; ++other) ::close(other);
  }
  return kPlace;
}

[[noreturn]] void run_child(pid_t parent, int pipe, const std::function<void(int)>& body) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(3);
  reset_signals();
  keep_heap();
  const int kept = keep_only(pipe);
  try {
    body(kept);
  } catch (...) {
    ::_exit(2);
  }
  ::_exit(0);
}

}  // namespace

model::Expected<ChildProcess> ChildProcess::start(const std::function<void(int)>& body) {
  const auto failed = [](const char* what) {
    return model::failure(
        model::ErrorCode::unavailable,
        fmt::format("no child process could be made to read the target: {}: {}", what, std::strerror(errno)),
        "raise the limits on processes and open files (ulimit -u, ulimit -n)");
  };
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return failed("pipe");
  ::fcntl(ends[1], F_SETPIPE_SZ, kPipeBytes);
  const pid_t parent = ::getpid();
  // Nothing may arrive between the fork and the child's own dispositions: a handler of ours would run in it.
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, &before);
  const pid_t pid = ::fork();
  if (pid == 0) run_child(parent, ends[1], body);
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  ::close(ends[1]);
  if (pid < 0) {
    ::close(ends[0]);
    return failed("fork");
  }
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  return ChildProcess(pid, ends[0]);
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)), pipe_(std::exchange(other.pipe_, -1)), end_(other.end_) {}

ChildProcess::~ChildProcess() {
  close_pipe();
  kill(0);
}

void ChildProcess::close_pipe() {
  if (pipe_ >= 0) ::close(pipe_);
  pipe_ = -1;
}

bool ChildProcess::read_until(std::chrono::steady_clock::time_point deadline, std::size_t max_bytes,
                              std::string& text) {
  std::array<char, 65536> chunk{};
  while (text.size() < max_bytes) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0) return false;
    pollfd ready{pipe_, POLLIN, 0};
    if (::poll(&ready, 1, static_cast<int>(left.count())) <= 0) continue;
    const ssize_t got = ::read(pipe_, chunk.data(), chunk.size());
    if (got == 0) return true;
    if (got > 0) text.append(chunk.data(), static_cast<std::size_t>(got));
    if (got < 0 && errno != EINTR && errno != EAGAIN) return false;
  }
  return false;
}

bool ChildProcess::reap() {
  int status = 0;
  const pid_t found = ::waitpid(pid_, &status, WNOHANG);
  if (found == 0 || (found < 0 && errno == EINTR)) return false;
  if (found == pid_ && WIFSIGNALED(status)) end_.signal = WTERMSIG(status);
  if (found == pid_ && WIFEXITED(status)) end_.status = WEXITSTATUS(status);
  pid_ = -1;
  return true;
}

bool ChildProcess::kill(int patience_ms) {
  if (pid_ < 0 || reap()) return true;
  ::kill(pid_, SIGKILL);
  // Most children are through already and go within microseconds.
  long nap_us = 50;
  for (long waited_us = 0;; waited_us += nap_us) {
    if (reap()) return true;
    if (waited_us >= patience_ms * 1000L) return false;
    const timespec nap{0, nap_us * 1000};
    ::nanosleep(&nap, nullptr);
    nap_us = std::min(nap_us * 2, 1000L);
  }
}

ReapableChildren::ReapableChildren() : saved_{} {
  struct sigaction fresh{};
  fresh.sa_handler = SIG_DFL;
  ::sigaction(SIGCHLD, &fresh, &saved_);
}

ReapableChildren::~ReapableChildren() { ::sigaction(SIGCHLD, &saved_, nullptr); }

}  // namespace hangstack::sampler
