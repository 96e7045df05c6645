#include "sampler/proc/reachable_files.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>

#include "sampler/child_process.h"

namespace hangstack::sampler {
namespace {

using model::MappedFile;
using std::chrono::steady_clock;

constexpr int kMostSilentFileSystems = 4;
constexpr int kKillPatienceMs = 20;

/// In a child: one byte for each file, once all its paths were tried as far as the first that opens.
void open_all(std::span<MappedFile* const> files, int pipe) {
  for (const MappedFile* file : files) {
    for (const std::string& path : file->open_paths) {
      const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
      char first = 0;
      const bool read = descriptor >= 0 && ::pread(descriptor, &first, 1, 0) >= 0;
      if (descriptor >= 0) ::close(descriptor);
      if (read) break;
    }
    if (::write(pipe, "", 1) != 1) return;
  }
}

/// How many of the files answered, from the first on, before `patience` passed without another.
std::size_t count_answers(std::span<MappedFile* const> files, std::chrono::milliseconds patience) {
  const ReapableChildren reapable;
  auto child = ChildProcess::start([files](int pipe) { open_all(files, pipe); });
  if (!child) return 0;
  std::size_t answers = 0;
  auto give_up = steady_clock::now() + patience;
  while (answers < files.size()) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(give_up - steady_clock::now()).count();
    pollfd ready{child->pipe(), POLLIN, 0};
    const int events = ::poll(&ready, 1, static_cast<int>(std::max<std::int64_t>(left, 0)));
    if (events < 0 && errno == EINTR) continue;
    if (events <= 0) break;
    std::byte answer{};
    const ssize_t bytes = ::read(child->pipe(), &answer, 1);
    if (bytes <= 0) break;
    ++answers;
    give_up = steady_clock::now() + patience;
  }
  child->kill(kKillPatienceMs);
  return answers;
}

}  // namespace

std::vector<std::string> drop_unreachable(std::span<MappedFile> files, const FileSystems& file_systems,
                                          std::chrono::milliseconds patience) {
  std::vector<MappedFile*> left;
  for (MappedFile& file : files)
    if (file_systems.kind_of(file.device) == FileSystems::Kind::distant) left.push_back(&file);
  std::vector<std::string> dropped;
  const auto drop = [&dropped](MappedFile& file) {
    file.open_paths.clear();
    dropped.push_back(file.path);
  };
  for (int silent = 0; !left.empty(); ++silent) {
    const std::size_t answers = silent < kMostSilentFileSystems ? count_answers(left, patience) : 0;
    left.erase(left.begin(), left.begin() + static_cast<std::ptrdiff_t>(answers));
    if (left.empty()) break;
    const std::string device = silent < kMostSilentFileSystems ? left.front()->device : std::string();
    std::erase_if(left, [&](MappedFile* file) {
      if (!device.empty() && file->device != device) return false;
      drop(*file);
      return true;
    });
  }
  return dropped;
}

}  // namespace hangstack::sampler
