#include "sampler/memory/page_presence.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <span>

namespace hangstack::sampler {
namespace {

constexpr std::uint64_t kPresent = 1ULL << 63;
constexpr std::uint64_t kSwapped = 1ULL << 62;

}  // namespace

PagePresence::PagePresence(const std::string& path) : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}

PagePresence::~PagePresence() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

/// Fills `entries_`; gives how many, -1 if the kernel refuses.
std::int64_t PagePresence::ask(std::uint64_t address, std::uint64_t pages) {
  known_pages_ = 0;
  const auto offset = static_cast<off_t>(address / kPageBytes * sizeof(std::uint64_t));
  const ssize_t bytes = ::pread(descriptor_, entries_.data(), pages * sizeof(std::uint64_t), offset);
  return bytes < 0 ? -1 : static_cast<std::int64_t>(static_cast<std::size_t>(bytes) / sizeof(std::uint64_t));
}

void PagePresence::look_ahead(std::uint64_t address, std::uint64_t pages) {
  if (descriptor_ < 0) return;
  const std::int64_t got = ask(address, std::min(pages, kMostPages));
  known_from_ = address;
  known_pages_ = static_cast<std::uint64_t>(std::max<std::int64_t>(got, 0));
}

PagePresence::Run PagePresence::run_at(std::uint64_t address, std::uint64_t max_pages) {
  if (descriptor_ < 0) return {true, max_pages};
  const std::uint64_t skip = (address - known_from_) / kPageBytes;
  std::span<const std::uint64_t> entries;
  if (address >= known_from_ && skip < known_pages_) {
    entries = std::span(entries_).subspan(skip, std::min(max_pages, known_pages_ - skip));
  } else {
    const std::int64_t got = ask(address, std::min(max_pages, kMostPages));
    if (got < 0) return {true, max_pages};
    if (got == 0) return {false, max_pages};  // behind the end of user memory
    entries = std::span(entries_).first(static_cast<std::size_t>(got));
  }
  const auto in_memory = [](std::uint64_t entry) { return (entry & (kPresent | kSwapped)) != 0; };
  const bool present = in_memory(entries[0]);
  std::uint64_t alike = 1;
  while (alike < entries.size() && in_memory(entries[alike]) == present) ++alike;
  return {present, alike};
}

}  // namespace hangstack::sampler
