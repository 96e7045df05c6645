#include "model/private_file.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include "model/write_all.h"

namespace hangstack::model {

Expected<void> write_private_file(const std::filesystem::path& path, std::string_view bytes) {
  // Not through a link, and not into a file that somebody put there before.
  ::unlink(path.c_str());
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  const bool written = fd >= 0 && write_all(fd, bytes);
  const int reason = errno;
  if (fd >= 0) ::close(fd);
  if (written) return {};
  return failure(ErrorCode::unavailable, fmt::format("cannot write {}: {}", path.string(), std::strerror(reason)),
                 "name a folder that you may write, on a disk with room");
}

Expected<std::string> read_kept_file(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) {
    return failure(ErrorCode::not_found, fmt::format("cannot read {}: {}", path.string(), std::strerror(errno)),
                   "give a folder that hangstack --capture wrote");
  }
  return std::string(std::istreambuf_iterator<char>(stream), {});
}

}  // namespace hangstack::model
