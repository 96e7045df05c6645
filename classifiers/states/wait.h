#pragma once
// How a thread waits in the kernel: the leaf of its stack and its system call, before asking what for.

#include <cstdint>
#include <optional>
#include <string>

#include "classifiers/normalize/frames.h"

namespace hangstack::classifiers {

enum class WaitKind : std::uint8_t {
  none,  ///< it runs, or nothing tells
  futex_condition,
  futex_lock,
  semaphore,
  futex,  ///< which of the three is not known
  sleep,
  poll,
  transfer,  ///< read, write, recv, send...
  connect,   ///< connect, accept
  child,     ///< wait4, waitid
  thread_join,
  file_lock,
  yield,
  other,
};

struct Wait {
  WaitKind kind = WaitKind::none;
  std::string call;       ///< "futex", "recvfrom"...: the system call, or the function that makes it
  std::string function;   ///< the outermost named C library function around it: "pthread_mutex_lock"; may be empty
  std::optional<int> fd;  ///< for transfer, connect and single-descriptor calls
  bool timed = false;     ///< ends by itself: a time limit, a sleep, a spinning wait
};

/// The innermost named function decides what kind of futex it is; the system call's arguments decide the time limit
/// (x86-64: futex a3 is the timeout pointer; poll a2, epoll_wait a3 milliseconds, -1 for none; select a4).
Wait wait_of(const ThreadView& view);

}  // namespace hangstack::classifiers
