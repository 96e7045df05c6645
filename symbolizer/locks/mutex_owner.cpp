#include "symbolizer/locks/mutex_owner.h"

#include <linux/futex.h>
#include <sys/syscall.h>

#include <algorithm>
#include <array>

namespace hangstack::symbolizer {

using model::RemoteAddress;

std::optional<RemoteAddress> awaited_mutex(const std::optional<model::SystemCall>& call) {
  if (!call || call->number != SYS_futex || call->arguments.size() < 2 || call->arguments[0] == 0) return std::nullopt;
  const std::uint64_t operation = call->arguments[1] & FUTEX_CMD_MASK;
  if (operation != FUTEX_WAIT && operation != FUTEX_LOCK_PI) return std::nullopt;
  return RemoteAddress{call->arguments[0]};
}

std::int32_t owner_of_mutex(model::MemoryReader& memory, RemoteAddress mutex) {
  const auto words = memory.read<std::array<std::uint32_t, 3>>(mutex);
  if (!words) return 0;
  const auto& [lock, count, owner] = *words;
  // Contended: 2, or the owner's tid with the bit that says that somebody waits (robust and PI mutexes).
  const bool by_tid = (lock & FUTEX_WAITERS) != 0 && (lock & FUTEX_TID_MASK) == owner;
  if ((lock != 2 && !by_tid) || owner == 0 || owner > FUTEX_TID_MASK) return 0;
  return static_cast<std::int32_t>(owner);
}

std::int32_t lock_holder_of(const model::ThreadCapture& thread, const model::ProcessCapture& process,
                            model::MemoryReader& memory) {
  const auto mutex = awaited_mutex(thread.syscall);
  if (!mutex) return 0;
  const std::int32_t owner = owner_of_mutex(memory, *mutex);
  if (owner == 0) return 0;
  const auto holder = std::ranges::find(process.threads, owner, &model::ThreadCapture::ns_tid);
  return holder == process.threads.end() ? 0 : holder->tid;
}

}  // namespace hangstack::symbolizer
