#include "sampler/memory/page_presence.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>

namespace hangstack::sampler {
namespace {

constexpr std::uint64_t kPresent = 1ULL << 63;
constexpr std::uint64_t kSwapped = 1ULL << 62;

}  // namespace

PagePresence::PagePresence(const std::string& path) : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}

PagePresence::~PagePresence() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

PagePresence::Run PagePresence::run_at(std::uint64_t address, std::uint64_t max_pages) {
  if (descriptor_ < 0) return {true, max_pages};
  const std::uint64_t wanted = std::min<std::uint64_t>(max_pages, entries_.size());
  const auto offset = static_cast<off_t>(address / kPageBytes * sizeof(std::uint64_t));
  const ssize_t bytes = ::pread(descriptor_, entries_.data(), wanted * sizeof(std::uint64_t), offset);
  if (bytes < 0) return {true, max_pages};
  const std::uint64_t got = static_cast<std::uint64_t>(bytes) / sizeof(std::uint64_t);
  if (got == 0) return {false, max_pages};  // behind the end of user memory
  const auto in_memory = [](std::uint64_t entry) { return (entry & (kPresent | kSwapped)) != 0; };
  const bool present = in_memory(entries_[0]);
  std::uint64_t alike = 1;
  while (alike < got && in_memory(entries_[alike]) == present) ++alike;
  return {present, alike};
}

}  // namespace hangstack::sampler
