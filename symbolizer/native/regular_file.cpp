#include "symbolizer/native/regular_file.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace hangstack::symbolizer {

namespace {

using model::ErrorCode;

model::Error open_error(const std::string& path, int error) {
  const bool refused = error == EACCES || error == EPERM;
  return {refused ? ErrorCode::no_permission : ErrorCode::not_found,
          fmt::format("{} cannot be opened: {}", path, std::strerror(error)),
          refused ? "run hangstack as root or as the owner of the process" : ""};
}

}  // namespace

model::Expected<RegularFile> RegularFile::open(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if (descriptor < 0) return tl::make_unexpected(open_error(path, errno));
  struct stat status{};
  if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) {
    ::close(descriptor);
    return model::failure(ErrorCode::bad_elf, fmt::format("{} is not a regular file", path));
  }
  return RegularFile(descriptor, status.st_ino,
                     fmt::format("{:02x}:{:02x}", major(status.st_dev), minor(status.st_dev)));
}

RegularFile::RegularFile(RegularFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), inode_(other.inode_), device_(std::move(other.device_)) {}

RegularFile::~RegularFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace hangstack::symbolizer
