#include "cli/sources.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <ranges>
#include <set>
#include <vector>

#include "model/file_path.h"
#include "model/write_all.h"
#include "sampler/child_process.h"

namespace hangstack::cli {
namespace {

constexpr std::size_t kMostFiles = 64;
constexpr std::size_t kMostBytes = 1 << 20;
constexpr std::size_t kMostBytesInAll = 8 << 20;
constexpr std::size_t kMostMessageBytes = kMostBytesInAll + kMostFiles * sizeof(std::uint32_t) + 1;
constexpr auto kDeadline = std::chrono::seconds(1);
constexpr int kKillPatienceMs = 20;

struct Wanted {
  std::string path;  ///< as Python names it
  std::string open;  ///< through the process's own root
  std::int32_t pid = 0;
  std::int64_t began_unix_s = 0;  ///< the process
};

/// Sent in place of a size: the file is younger than the process, so its lines are not those that run.
constexpr std::uint32_t kChanged = ~std::uint32_t{0};

/// When a process began that has this start time, in clock ticks since boot (proc_pid_stat(5), field 22).
std::int64_t unix_s_of(std::uint64_t start_time_ticks) {
  timespec now{};
  timespec since_boot{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  ::clock_gettime(CLOCK_BOOTTIME, &since_boot);
  return now.tv_sec - since_boot.tv_sec +
         static_cast<std::int64_t>(start_time_ticks / static_cast<std::uint64_t>(::sysconf(_SC_CLK_TCK)));
}

/// "<string>" and the like are no files.
bool is_library(const std::string& path) {
  return path.empty() || path[0] == '<' || !model::library_path(path).empty();
}

void add_files_of(const model::ProcessSnapshot& process, std::vector<Wanted>& files) {
  for (const auto& thread : process.threads) {
    for (const auto& frame : thread.frames) {
      if (files.size() == kMostFiles) return;
      if (frame.kind != model::FrameKind::python || is_library(frame.file)) continue;
      if (std::ranges::find(files, frame.file, &Wanted::path) != files.end()) continue;
      const char* place = frame.file[0] == '/' ? "root" : "cwd/";
      files.push_back({frame.file, fmt::format("/proc/{}/{}{}", process.pid, place, frame.file), process.pid,
                       unix_s_of(process.start_time_ticks)});
    }
  }
}

std::vector<Wanted> wanted_files(const std::vector<std::vector<SampledProcess>>& samples) {
  std::vector<Wanted> files;
  std::set<std::int32_t> seen;
  for (const auto& sample : std::views::reverse(samples)) {
    for (const SampledProcess& process : sample) {
      if (process.snapshot && seen.insert(process.snapshot->pid).second) add_files_of(*process.snapshot, files);
    }
  }
  return files;
}

/// In the child: a length and the bytes per file; length 0 for what cannot be read or is longer than `most`. How much
/// was sent.
std::size_t send_file(int pipe, const Wanted& file, std::size_t most) {
  std::string text;
  bool changed = false;
  const int fd = ::open(file.open.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
  struct stat about{};
  if (fd >= 0 && ::fstat(fd, &about) == 0 && S_ISREG(about.st_mode) && about.st_size <= static_cast<off_t>(most)) {
    text.resize(static_cast<std::size_t>(about.st_size));
    const ssize_t got = ::read(fd, text.data(), text.size());
    text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    changed = about.st_mtime > file.began_unix_s + 1;
    if (changed) text.clear();
  }
  const auto size = changed ? kChanged : static_cast<std::uint32_t>(text.size());
  std::string message(sizeof size, '\0');
  std::memcpy(message.data(), &size, sizeof size);
  message += text;
  if (!model::write_all(pipe, message)) ::_exit(1);
  return text.size();
}

Sources unpack(const std::string& all, const std::vector<Wanted>& files) {
  Sources sources;
  std::size_t at = 0;
  for (const Wanted& file : files) {
    std::uint32_t size = 0;
    if (all.size() - at < sizeof size) break;
    std::memcpy(&size, all.data() + at, sizeof size);
    at += sizeof size;
    if (size == kChanged) {
      sources.changed.emplace_back(file.pid, file.path);
      continue;
    }
    if (all.size() - at < size) break;
    if (size > 0) sources.texts[file.path] = all.substr(at, size);
    at += size;
  }
  return sources;
}

}  // namespace

Sources read_sources(const std::vector<std::vector<SampledProcess>>& samples) {
  const auto files = wanted_files(samples);
  if (files.empty()) return {};
  const sampler::ReapableChildren reapable;
  auto child = sampler::ChildProcess::start([&files](int pipe) {
    std::size_t left = kMostBytesInAll;
    for (const Wanted& file : files) left -= send_file(pipe, file, std::min(left, kMostBytes));
  });
  if (!child) return {};
  std::string all;
  child->read_until(std::chrono::steady_clock::now() + kDeadline, kMostMessageBytes, all);
  child->kill(kKillPatienceMs);
  return unpack(all, files);
}

}  // namespace hangstack::cli
