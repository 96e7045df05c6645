#include "sampler/proc/proc_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <climits>
#include <cstring>
#include <memory>

namespace hangstack::sampler {
namespace {

using model::ErrorCode;

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  [[nodiscard]] int get() const { return fd_; }

 private:
  int fd_;
};

tl::unexpected<model::Error> from_errno(int error, const std::string& path) {
  switch (error) {
    case ENOENT:
    case ESRCH:
    case ENOTDIR: return model::failure(ErrorCode::not_found, fmt::format("{} does not exist", path));
    case EACCES:
    case EPERM: return model::failure(ErrorCode::no_permission, fmt::format("{} may not be read", path));
    default:
      return model::failure(ErrorCode::unavailable, fmt::format("{} cannot be read: {}", path, std::strerror(error)));
  }
}

ssize_t read_retrying(int fd, char* into, std::size_t size) {
  for (;;) {
    const ssize_t got = ::read(fd, into, size);
    if (got >= 0 || errno != EINTR) return got;
  }
}

}  // namespace

std::string ProcFiles::absolute(std::string_view path) const {
  std::string full;
  full.reserve(root_.size() + 1 + path.size());
  full += root_;
  full += '/';
  full += path;
  return full;
}

model::Expected<std::string> ProcFiles::read(std::string_view path, std::size_t max_bytes) const {
  const std::string full = absolute(path);
  const Descriptor file(::open(full.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  if (file.get() < 0) return from_errno(errno, full);
  std::array<char, 16384> chunk{};
  std::string text;
  while (text.size() < max_bytes) {
    const ssize_t got = read_retrying(file.get(), chunk.data(), std::min(chunk.size(), max_bytes - text.size()));
    if (got < 0) return from_errno(errno, full);
    if (got == 0) break;
    text.append(chunk.data(), static_cast<std::size_t>(got));
  }
  return text;
}

model::Expected<std::string_view> ProcFiles::read_once(std::string_view path, std::span<char> buffer) const {
  const std::string full = absolute(path);
  const Descriptor file(::open(full.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  if (file.get() < 0) return from_errno(errno, full);
  const ssize_t got = read_retrying(file.get(), buffer.data(), buffer.size());
  if (got < 0) return from_errno(errno, full);
  return std::string_view(buffer.data(), static_cast<std::size_t>(got));
}

model::Expected<std::string> ProcFiles::read_link(std::string_view path) const {
  const std::string full = absolute(path);
  std::array<char, PATH_MAX> target{};
  const ssize_t length = ::readlink(full.c_str(), target.data(), target.size());
  if (length < 0) return from_errno(errno, full);
  return std::string(target.data(), static_cast<std::size_t>(length));
}

std::string ProcFiles::exe(std::int32_t pid, std::int32_t tid) const {
  static constexpr std::string_view kDeleted = " (deleted)";
  std::string exe = read_link(fmt::format("{}/task/{}/exe", pid, tid)).value_or("");
  if (exe.ends_with(kDeleted)) exe.resize(exe.size() - kDeleted.size());
  return exe;
}

model::Expected<std::vector<std::int32_t>> ProcFiles::list_numbers(std::string_view path) const {
  const std::string full = absolute(path);
  struct CloseFolder {
    void operator()(DIR* folder) const { ::closedir(folder); }
  };
  const std::unique_ptr<DIR, CloseFolder> folder(::opendir(full.c_str()));
  if (!folder) return from_errno(errno, full);
  std::vector<std::int32_t> numbers;
  while (const dirent* entry = ::readdir(folder.get())) {
    const char* end = entry->d_name + std::strlen(entry->d_name);
    std::int32_t number = 0;
    const auto [stop, error] = std::from_chars(entry->d_name, end, number);
    if (error == std::errc{} && stop == end && number > 0) numbers.push_back(number);
  }
  std::ranges::sort(numbers);
  return numbers;
}

model::Expected<std::uint32_t> ProcFiles::owner(std::string_view path) const {
  const std::string full = absolute(path);
  struct stat facts{};
  if (::stat(full.c_str(), &facts) != 0) return from_errno(errno, full);
  return facts.st_uid;
}

}  // namespace hangstack::sampler
