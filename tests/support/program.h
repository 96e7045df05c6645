#pragma once
// Programs under test: run to the end, or started and talked to by pipes. Nothing is left behind: children die with the
// test (PR_SET_PDEATHSIG) and are reaped in the destructor.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace hangstack::tests {

using Environment = std::vector<std::pair<std::string, std::string>>;

struct ProgramResult {
  int status = -1;  ///< exit status; 128 + signal if a signal ended it
  std::string out;
  std::string err;
};

/// Runs `words` with the test's environment plus `environment`, and waits for its end.
ProgramResult run_program(const std::vector<std::string>& words, const Environment& environment = {});

/// A target that says on stdout when it is ready and ends when its stdin closes.
class Target {
 public:
  explicit Target(const std::vector<std::string>& words, const Environment& environment = {});
  ~Target();
  Target(const Target&) = delete;
  Target& operator=(const Target&) = delete;

  [[nodiscard]] std::int32_t pid() const { return pid_; }

  /// The next line of its stdout without the newline; empty at its end. Blocks until there is one.
  std::string read_line();

  /// Writes to its stdin.
  void write(const std::string& text);

  /// Closes its stdin and waits for its end: exit status, or 128 + signal.
  int finish();

  /// SIGKILL, and reaps it.
  void kill();

 private:
  std::int32_t pid_ = -1;
  int in_ = -1;
  int out_ = -1;
  std::string buffered_;
  bool reaped_ = false;
  int status_ = -1;
};

/// Waits until `/proc/PID/task/TID/stat` shows one of `states`, polling; false if the thread ends or 20 s pass.
bool wait_for_state(std::int32_t pid, std::int32_t tid, const std::string& states);

}  // namespace hangstack::tests
