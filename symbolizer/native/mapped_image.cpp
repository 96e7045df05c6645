#include "symbolizer/native/mapped_image.h"

#include <sys/mman.h>
#include <sys/stat.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <optional>

namespace hangstack::symbolizer {

namespace {

constexpr std::uintptr_t kPage = 4096;
constexpr std::size_t kMostImages = 16384;

/// A mapping that the handler may mend. Free while `start` is 0; `end` is set first and read last.
struct Slot {
  std::atomic<std::uintptr_t> start{0};
  std::atomic<std::uintptr_t> end{0};
  std::atomic<bool> lost{false};
};

std::array<Slot, kMostImages> slots;
std::atomic<std::size_t> used_slots{0};  ///< no slot behind these was ever taken
struct sigaction handler_before{};

/// Runs in the handler: nothing but system calls and atomics.
bool mend(std::uintptr_t address) {
  const std::size_t count = used_slots.load();
  for (std::size_t i = 0; i < count; ++i) {
    const std::uintptr_t start = slots[i].start.load();
    const std::uintptr_t end = slots[i].end.load();
    if (start == 0 || address < start || address >= end) continue;
    const std::uintptr_t page = address & ~(kPage - 1);
    slots[i].lost.store(true);
    return ::mmap(reinterpret_cast<void*>(page), end - page,  // NOLINT(performance-no-int-to-ptr): our own mapping
                  PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0) != MAP_FAILED;
  }
  return false;
}

void on_bus_error(int signal, siginfo_t* info, void* /*context*/) {
  const int saved = errno;
  const bool mended = info->si_code == BUS_ADRERR && mend(reinterpret_cast<std::uintptr_t>(info->si_addr));
  errno = saved;
  // The instruction runs again: over zeros, or into whoever had the signal before.
  if (!mended) ::sigaction(signal, &handler_before, nullptr);
}

/// Again for each image: a child process that resets its signals is protected by its next one.
void set_handler() {
  struct sigaction current{};
  if (::sigaction(SIGBUS, nullptr, &current) != 0) return;
  if ((current.sa_flags & SA_SIGINFO) != 0 && current.sa_sigaction == on_bus_error) return;
  struct sigaction ours{};
  ours.sa_sigaction = on_bus_error;
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&ours.sa_mask);
  handler_before = current;
  ::sigaction(SIGBUS, &ours, nullptr);
}

std::optional<std::size_t> take_slot(std::uintptr_t start, std::uintptr_t end) {
  for (std::size_t i = 0; i < kMostImages; ++i) {
    std::uintptr_t free = 0;
    // 1 is no address of an image: the slot is taken, and not in force.
    if (!slots[i].start.compare_exchange_strong(free, 1)) continue;
    slots[i].lost.store(false);
    slots[i].end.store(end);
    slots[i].start.store(start);
    std::size_t used = used_slots.load();
    while (used < i + 1 && !used_slots.compare_exchange_weak(used, i + 1)) {
    }
    return i;
  }
  return std::nullopt;
}

}  // namespace

std::unique_ptr<MappedImage> MappedImage::of(int descriptor) {
  struct stat status{};
  if (::fstat(descriptor, &status) != 0 || status.st_size <= 0) return nullptr;
  const auto size = static_cast<std::size_t>(status.st_size);
  void* start = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, descriptor, 0);
  if (start == MAP_FAILED) return nullptr;
  set_handler();
  const auto address = reinterpret_cast<std::uintptr_t>(start);
  const auto slot = take_slot(address, address + (size + kPage - 1) / kPage * kPage);
  if (!slot) {
    ::munmap(start, size);
    return nullptr;
  }
  return std::unique_ptr<MappedImage>(new MappedImage({static_cast<std::byte*>(start), size}, *slot));
}

MappedImage::~MappedImage() {
  slots[slot_].end.store(0);
  ::munmap(bytes_.data(), bytes_.size());
  slots[slot_].start.store(0);
}

bool MappedImage::has_lost_pages() const { return slots[slot_].lost.load(); }

}  // namespace hangstack::symbolizer
