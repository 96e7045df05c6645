#include "tests/lab/standin/cuda/memory.h"

#include <sys/mman.h>

#include <map>
#include <mutex>

namespace hangstack::standin {
namespace {

struct Registry {
  std::mutex mutex;
  std::map<uintptr_t, Allocation> by_base;
};

// Never destroyed: threads still ask while exit() runs destructors.
Registry& registry() {
  static Registry* const kRegistry = new Registry;
  return *kRegistry;
}

void insert(const Allocation& allocation) {
  const std::lock_guard lock(registry().mutex);
  registry().by_base[allocation.base] = allocation;
}

std::optional<Allocation> take(void* base) {
  const std::lock_guard lock(registry().mutex);
  const auto found = registry().by_base.find(reinterpret_cast<uintptr_t>(base));
  if (found == registry().by_base.end()) return std::nullopt;
  const Allocation allocation = found->second;
  registry().by_base.erase(found);
  return allocation;
}

}  // namespace

void* allocate(size_t size, MemoryKind kind, int device) {
  if (size == 0) size = 1;
  void* base = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED) return nullptr;
  insert({reinterpret_cast<uintptr_t>(base), size, kind, device});
  return base;
}

bool release(void* base) {
  const auto allocation = take(base);
  if (!allocation) return false;
  ::munmap(base, allocation->size);
  return true;
}

void register_pinned(void* base, size_t size, int device) {
  insert({reinterpret_cast<uintptr_t>(base), size, MemoryKind::kPinned, device});
}

bool forget(void* base) { return take(base).has_value(); }

std::optional<Allocation> allocation_at(const void* address) {
  const auto wanted = reinterpret_cast<uintptr_t>(address);
  const std::lock_guard lock(registry().mutex);
  auto found = registry().by_base.upper_bound(wanted);
  if (found == registry().by_base.begin()) return std::nullopt;
  --found;
  if (wanted - found->first >= found->second.size) return std::nullopt;
  return found->second;
}

}  // namespace hangstack::standin
