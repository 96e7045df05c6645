#pragma once
// Reads files below /proc, or below a folder that looks like it.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/error.h"

namespace hangstack::sampler {

/// Every path is relative to the root: "1234/status". Reads are bounded and never block on a lock that a stuck
/// process may hold, except the files that need its mmap_lock: maps, cmdline, environ (see design section 4).
/// Errors: `not_found` if the file or process is not there or ended meanwhile, `no_permission` if it may not be read,
/// `unavailable` for anything else.
class ProcFiles {
 public:
  explicit ProcFiles(std::string root = "/proc") : root_(std::move(root)) {}

  /// The whole file, at most `max_bytes`; what lies behind is left out silently.
  [[nodiscard]] model::Expected<std::string> read(std::string_view path, std::size_t max_bytes = 64UL << 20) const;

  /// One read(2) into `buffer`: for the files that the kernel makes in one piece (stat, status, syscall, wchan,
  /// schedstat, sched: seq_file single_open in fs/proc/base.c), where a short read is the end. The view is of `buffer`.
  [[nodiscard]] model::Expected<std::string_view> read_once(std::string_view path, std::span<char> buffer) const;

  /// Target of a symbolic link, as the kernel writes it.
  [[nodiscard]] model::Expected<std::string> read_link(std::string_view path) const;

  /// Target of PID's exe link without the " (deleted)" of a program whose file is gone; empty if it may not be known.
  [[nodiscard]] std::string exe(std::int32_t pid, std::int32_t tid) const;

  /// Numeric names in a folder, ascending: pids of "", tids of "1234/task".
  [[nodiscard]] model::Expected<std::vector<std::int32_t>> list_numbers(std::string_view path) const;

  /// User id that owns the file.
  [[nodiscard]] model::Expected<std::uint32_t> owner(std::string_view path) const;

  /// Absolute path of a file below the root.
  [[nodiscard]] std::string absolute(std::string_view path) const;

  [[nodiscard]] const std::string& root() const { return root_; }

 private:
  std::string root_;
};

}  // namespace hangstack::sampler
