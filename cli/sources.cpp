#include "cli/sources.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
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
};

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
      files.push_back({frame.file, fmt::format("/proc/{}/{}{}", process.pid, place, frame.file)});
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
std::size_t send_file(int pipe, const std::string& path, std::size_t most) {
  std::string text;
  const int fd = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
  struct stat about{};
  if (fd >= 0 && ::fstat(fd, &about) == 0 && S_ISREG(about.st_mode) && about.st_size <= static_cast<off_t>(most)) {
    text.resize(static_cast<std::size_t>(about.st_size));
    const ssize_t got = ::read(fd, text.data(), text.size());
    text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  }
  const auto size = static_cast<std::uint32_t>(text.size());
  std::string message(sizeof size, '\0');
  std::memcpy(message.data(), &size, sizeof size);
  message += text;
  if (!model::write_all(pipe, message)) ::_exit(1);
  return size;
}

std::map<std::string, std::string> unpack(const std::string& all, const std::vector<Wanted>& files) {
  std::map<std::string, std::string> sources;
  std::size_t at = 0;
  for (const Wanted& file : files) {
    std::uint32_t size = 0;
    if (all.size() - at < sizeof size) break;
    std::memcpy(&size, all.data() + at, sizeof size);
    at += sizeof size;
    if (all.size() - at < size) break;
    if (size > 0) sources[file.path] = all.substr(at, size);
    at += size;
  }
  return sources;
}

}  // namespace

std::map<std::string, std::string> read_sources(const std::vector<std::vector<SampledProcess>>& samples) {
  const auto files = wanted_files(samples);
  if (files.empty()) return {};
  const sampler::ReapableChildren reapable;
  auto child = sampler::ChildProcess::start([&files](int pipe) {
    std::size_t left = kMostBytesInAll;
    for (const Wanted& file : files) left -= send_file(pipe, file.open, std::min(left, kMostBytes));
  });
  if (!child) return {};
  std::string all;
  child->read_until(std::chrono::steady_clock::now() + kDeadline, kMostMessageBytes, all);
  child->kill(kKillPatienceMs);
  return unpack(all, files);
}

}  // namespace hangstack::cli
