// Has a read of an empty pipe done by a kernel worker of io_uring. Says "ready", or "skip" with a reason.

#include <fcntl.h>
#include <linux/io_uring.h>
#include <sys/mman.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>

#include "tests/live/targets/target.h"

namespace {

int submit_read(int ring, const io_uring_params& params, int from, char* into) {
  constexpr int kAccess = PROT_READ | PROT_WRITE;
  const std::size_t ring_bytes = params.sq_off.array + params.sq_entries * sizeof(unsigned);
  void* queue = ::mmap(nullptr, ring_bytes, kAccess, MAP_SHARED | MAP_POPULATE, ring, IORING_OFF_SQ_RING);
  void* places = ::mmap(nullptr, params.sq_entries * sizeof(io_uring_sqe), kAccess, MAP_SHARED | MAP_POPULATE, ring,
                        IORING_OFF_SQES);
  if (queue == MAP_FAILED || places == MAP_FAILED) return -1;
  auto* entry = static_cast<io_uring_sqe*>(places);
  std::memset(entry, 0, sizeof *entry);
  entry->opcode = IORING_OP_READ;
  entry->flags = IOSQE_ASYNC;
  entry->fd = from;
  entry->addr = reinterpret_cast<std::uint64_t>(into);
  entry->len = 1;
  auto* bytes = static_cast<char*>(queue);
  *reinterpret_cast<unsigned*>(bytes + params.sq_off.array) = 0;
  __atomic_store_n(reinterpret_cast<unsigned*>(bytes + params.sq_off.tail), 1U, __ATOMIC_RELEASE);
  return static_cast<int>(::syscall(SYS_io_uring_enter, ring, 1, 0, 0, nullptr, 0));
}

int thread_count() {
  int count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) ++count;
  return count;
}

}  // namespace

int main() {
  targets::die_with_parent();
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) return 1;
  io_uring_params params{};
  const int ring = static_cast<int>(::syscall(SYS_io_uring_setup, 4, &params));
  static char byte = 0;
  if (ring < 0 || submit_read(ring, params, ends[0], &byte) != 1) {
    targets::say("skip " + std::string(std::strerror(errno)));
    return 0;
  }
  while (thread_count() < 2) {
  }
  targets::say("ready");
  targets::wait_for_end();
  ::_exit(0);
}
