#pragma once
// Which pages of a process are in memory: /proc/PID/pagemap (Documentation/admin-guide/mm/pagemap.rst).

#include <array>
#include <cstdint>
#include <string>

namespace hangstack::sampler {

inline constexpr std::uint64_t kPageBytes = 4096;  ///< x86-64

/// Keeps the file open: one pread per question. Takes the mmap_lock of the process.
class PagePresence {
 public:
  /// `path` of a pagemap file. If it cannot be opened, or refuses, every page counts as present.
  explicit PagePresence(const std::string& path);
  ~PagePresence();
  PagePresence(const PagePresence&) = delete;
  PagePresence& operator=(const PagePresence&) = delete;

  struct Run {
    bool present = true;      ///< in memory or in swap
    std::uint64_t pages = 0;  ///< that are alike, from the first asked for; at least 1
  };
  /// The first run of pages from `address` (page-aligned) on, at most `max_pages` (at least 1).
  Run run_at(std::uint64_t address, std::uint64_t max_pages);

  static constexpr std::uint64_t kMostPages = 512;  ///< that one question is about

  /// Asks the kernel about pages that `run_at` will be asked about next, all at once: at most kMostPages from `address`
  /// on. The answers hold until `forget`.
  void look_ahead(std::uint64_t address, std::uint64_t pages);
  void forget() { known_pages_ = 0; }

 private:
  [[nodiscard]] std::int64_t ask(std::uint64_t address, std::uint64_t pages);

  int descriptor_ = -1;
  std::array<std::uint64_t, kMostPages> entries_{};
  std::uint64_t known_from_ = 0;  ///< page-aligned
  std::uint64_t known_pages_ = 0;
};

}  // namespace hangstack::sampler
