// A thread that waits for a page which a user-space pager (userfaultfd(2)) never gives; its stack pointer's page and
// one other thread are ordinary. Says "TID ADDRESS", then "ready"; "skip" with a reason if the kernel offers no
// userfaultfd.

#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <thread>

#include "tests/live/targets/target.h"

namespace {

std::atomic<long> g_tid{0};

int open_pager() {
  const int pager = static_cast<int>(::syscall(SYS_userfaultfd, O_CLOEXEC));
  uffdio_api api{};
  api.api = UFFD_API;
  if (pager < 0 || ::ioctl(pager, UFFDIO_API, &api) != 0) return -1;
  return pager;
}

}  // namespace

int main() {
  targets::die_with_parent();
  constexpr std::size_t kBytes = 16UL * 4096;
  void* pages = ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const int pager = open_pager();
  uffdio_register range{};
  range.range = {reinterpret_cast<std::uint64_t>(pages), kBytes};
  range.mode = UFFDIO_REGISTER_MODE_MISSING;
  if (pager < 0 || ::ioctl(pager, UFFDIO_REGISTER, &range) != 0) {
    targets::say("skip " + std::string(std::strerror(errno)));
    return 0;
  }
  std::thread([] { ::pause(); }).detach();
  std::thread([pages] {
    g_tid = targets::own_tid();
    *static_cast<volatile char*>(pages) = 1;
  }).detach();
  while (g_tid == 0) std::this_thread::yield();
  targets::say(std::to_string(g_tid) + " " + std::to_string(reinterpret_cast<std::uint64_t>(pages)));
  targets::say("ready");
  targets::wait_for_end();
  ::_exit(0);
}
