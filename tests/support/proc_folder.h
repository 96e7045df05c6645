#pragma once
// A folder that looks like /proc, written by a test and removed with it.

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/program.h"

namespace hangstack::tests {

struct FakeProcess {
  std::int32_t pid = 0;
  std::int32_t parent = 1;
  std::string comm = "python3";
  std::vector<std::string> command_line{};
  Environment environment{};
  char state = 'S';
  std::uint32_t flags = 0x400000;
  int threads = 1;
  std::string status_lines{};  ///< before the context switches: "TracerPid:\t9\n"
  bool syscall_file = true;
};

class ProcFolder {
 public:
  ProcFolder();
  ~ProcFolder();
  ProcFolder(const ProcFolder&) = delete;
  ProcFolder& operator=(const ProcFolder&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }

  /// Makes the folders on the way.
  void write(const std::string& file, std::string_view text) const;

  /// stat, status, cmdline, environ, uid_map, and a task folder with one thread.
  void add(const FakeProcess& process) const;

 private:
  std::string path_;
};

/// The line of PID/stat.
std::string stat_line(const FakeProcess& process);

}  // namespace hangstack::tests
