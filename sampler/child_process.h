#pragma once
// A child that may block for good: killed and left behind, never waited for without bound.

#include <sys/types.h>

#include <chrono>
#include <csignal>
#include <cstddef>
#include <functional>
#include <string>

#include "model/error.h"

namespace hangstack::sampler {

/// How a child ended; both 0: well, or it is not reaped yet.
struct ChildEnd {
  int signal = 0;
  int status = 0;  ///< what it exited with; 2: an exception ended it
};

/// Forks; the child runs `body` with the writing end of a pipe and ends. It dies with its parent, holds no descriptor
/// but that pipe (0, 1 and 2 are /dev/null: a child that is left behind must not keep the user's pipes open), has
/// default signal dispositions, blocks SIGCHLD only (stop/wait.h waits for it), and ignores the terminal's stop
/// signals, so that it cannot be stopped while it holds a tracee.
class ChildProcess {
 public:
  static model::Expected<ChildProcess> start(const std::function<void(int pipe)>& body);
  ~ChildProcess();
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&&) = delete;

  /// Non-blocking reading end; -1 after `close_pipe`.
  [[nodiscard]] int pipe() const { return pipe_; }
  void close_pipe();

  /// Appends to `text` what the child writes. True once it has closed its end; false if `deadline` comes first, or once
  /// there are `max_bytes`.
  bool read_until(std::chrono::steady_clock::time_point deadline, std::size_t max_bytes, std::string& text);

  /// SIGKILL; true once it is reaped, within `patience_ms`. What it had written stays readable.
  bool kill(int patience_ms);

  [[nodiscard]] ChildEnd end() const { return end_; }

 private:
  ChildProcess(pid_t pid, int pipe) : pid_(pid), pipe_(pipe) {}
  bool reap();

  pid_t pid_;
  int pipe_;
  ChildEnd end_;
};

/// While it lives, SIGCHLD has its default disposition and is not ignored: otherwise children vanish unreaped, and a
/// pid could come to mean another process (waitpid(2), NOTES).
class ReapableChildren {
 public:
  ReapableChildren();
  ~ReapableChildren();
  ReapableChildren(const ReapableChildren&) = delete;
  ReapableChildren& operator=(const ReapableChildren&) = delete;

 private:
  struct sigaction saved_;
};

}  // namespace hangstack::sampler
