#include "tests/lab/standin/cuda/rendezvous.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstdlib>

#include "tests/lab/standin/cuda/control.h"

namespace hangstack::standin {
namespace {

constexpr size_t kSlots = 1 << 16;

struct Slot {
  std::atomic<uint64_t> key;  ///< 0: free
  std::atomic<uint32_t> first;
  std::atomic<uint32_t> second;
};
static_assert(std::atomic<uint64_t>::is_always_lock_free);

Slot* map_table() {
  const char* path = control().table.c_str();
  if (*path == '\0') return nullptr;
  const int file = ::open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0 || ::ftruncate(file, kSlots * sizeof(Slot)) != 0) {
    std::perror(path);
    std::abort();  // going on would let kernels finish without their peers: a lab that lies
  }
  void* table = ::mmap(nullptr, kSlots * sizeof(Slot), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  ::close(file);
  if (table == MAP_FAILED) std::abort();
  return static_cast<Slot*>(table);
}

Slot* table() {
  static Slot* const kTable = map_table();
  return kTable;
}

Slot& slot_of(uint64_t key) {
  if (key == 0) key = 1;
  for (size_t step = 0; step < kSlots; ++step) {
    Slot& slot = table()[(key + step) % kSlots];
    uint64_t found = 0;
    if (slot.key.compare_exchange_strong(found, key) || found == key) return slot;
  }
  std::fputs("the lab's table of rendezvous is full\n", stderr);
  std::abort();
}

}  // namespace

bool have_table() { return table() != nullptr; }

void arrive(uint64_t key, Side side) { ++(side == Side::kFirst ? slot_of(key).first : slot_of(key).second); }

Meeting meeting(uint64_t key) {
  const Slot& slot = slot_of(key);
  return {slot.first, slot.second};
}

uint64_t mix(uint64_t hash, uint64_t value) {
  // The finalizer of SplitMix64.
  hash += value + 0x9e3779b97f4a7c15;
  hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9;
  hash = (hash ^ (hash >> 27)) * 0x94d049bb133111eb;
  return hash ^ (hash >> 31);
}

}  // namespace hangstack::standin
