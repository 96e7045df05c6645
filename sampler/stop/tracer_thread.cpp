#include "sampler/stop/tracer_thread.h"

#include <link.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <array>
#include <cstdlib>
#include <memory>
#include <system_error>
#include <thread>

namespace hangstack::sampler {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kStackBytes = 96UL << 10;
constexpr std::size_t kMostCodeBytes = 32UL << 20;

void touch(volatile std::byte* bytes, std::size_t size) {
  for (std::size_t at = 0; at < size; at += kPage) bytes[at] = std::byte{1};
}

[[gnu::noinline]] void make_stack_ready() {
  std::array<std::byte, kStackBytes> room{};
  touch(room.data(), room.size());
}

/// After a fork the code of a program is mapped, but none of it is in the page tables (copy_page_range, mm/memory.c).
/// A kernel older than 5.14 does not know MADV_POPULATE_READ: then each page costs a fault when it is needed.
int make_code_ready(dl_phdr_info* object, std::size_t /*size*/, void* /*argument*/) {
  for (std::size_t i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = object->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0 || segment.p_memsz > kMostCodeBytes) continue;
    const std::uintptr_t start = (object->dlpi_addr + segment.p_vaddr) & ~(kPage - 1);
    const std::uintptr_t end = object->dlpi_addr + segment.p_vaddr + segment.p_memsz;
    ::madvise(reinterpret_cast<void*>(start), end - start,  // NOLINT(performance-no-int-to-ptr): our own code
              MADV_POPULATE_READ);
  }
  return 0;
}

}  // namespace

void make_heap_ready(std::size_t bytes) {
  const std::unique_ptr<void, decltype(&std::free)> room(std::malloc(bytes), &std::free);
  if (room) touch(static_cast<std::byte*>(room.get()), bytes);
}

void run_as_tracer(const std::function<void()>& work) {
  static const int code_is_ready = ::dl_iterate_phdr(make_code_ready, nullptr);
  static_cast<void>(code_is_ready);
  std::thread tracer;
  try {
    tracer = std::thread([&work] {
      // Whoever holds others must not wait for a processor itself. Sets the nice value of this thread alone
      // (setpriority(2), BUGS); without the right to do so it stays as it is.
      ::setpriority(PRIO_PROCESS, 0, -20);
      make_stack_ready();
      work();
    });
  } catch (const std::system_error&) {
    work();  // no room for a thread: this process is the tracer, until it ends
    return;
  }
  tracer.join();
}

}  // namespace hangstack::sampler
