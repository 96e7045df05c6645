// One thread in each of many blocking system calls; counts how often each call came back with EINTR.
// Says "NAME TID" for each thread, then "ready". For the line "counts" it says "NAME COUNT" for each, then "end".

#include <poll.h>
#include <semaphore.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <condition_variable>
#include <ctime>
#include <functional>
#include <list>
#include <mutex>
#include <thread>

#include "tests/live/targets/target.h"

namespace {

struct Blocked {
  std::string name;
  std::function<long()> call;  ///< blocks; -1 and errno like a system call
  std::atomic<long> tid{0};
  std::atomic<int> interrupted{0};
};

void run(Blocked& blocked) {
  blocked.tid = targets::own_tid();
  while (true) {
    if (blocked.call() < 0 && errno == EINTR) ++blocked.interrupted;
  }
}

int never_readable() {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) std::abort();
  return ends[0];
}

int silent_socket(bool with_timeout) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) != 0) std::abort();
  if (with_timeout) {
    const timeval hour{3600, 0};
    ::setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &hour, sizeof hour);
  }
  return ends[0];
}

int silent_epoll() {
  const int epoll = ::epoll_create1(0);
  epoll_event event{};
  event.events = EPOLLIN;
  ::epoll_ctl(epoll, EPOLL_CTL_ADD, never_readable(), &event);
  return epoll;
}

}  // namespace

int main() {
  targets::die_with_parent();
  const int poll_fd = never_readable();
  const int select_fd = never_readable();
  const int read_fd = never_readable();
  const int epoll_fd = silent_epoll();
  const int timeout_socket = silent_socket(true);
  const int plain_socket = silent_socket(false);
  const int semaphores = ::semget(IPC_PRIVATE, 1, 0600 | IPC_CREAT);
  static sem_t posix_semaphore;
  ::sem_init(&posix_semaphore, 0, 0);
  static std::mutex mutex;
  static std::condition_variable condition;
  sigset_t waited;
  ::sigemptyset(&waited);
  ::sigaddset(&waited, SIGUSR2);
  ::pthread_sigmask(SIG_BLOCK, &waited, nullptr);

  std::list<Blocked> all;
  const auto add = [&](std::string name, std::function<long()> call) {
    Blocked& blocked = all.emplace_back();
    blocked.name = std::move(name);
    blocked.call = std::move(call);
  };
  add("epoll_wait", [&]() -> long {
    epoll_event event{};
    return ::epoll_wait(epoll_fd, &event, 1, -1);
  });
  add("poll", [&]() -> long {
    pollfd wait{poll_fd, POLLIN, 0};
    return ::poll(&wait, 1, INT_MAX);
  });
  add("select", [&]() -> long {
    fd_set set;
    FD_ZERO(&set);
    FD_SET(select_fd, &set);
    return ::select(select_fd + 1, &set, nullptr, nullptr, nullptr);
  });
  add("sem_wait", [&]() -> long { return ::sem_wait(&posix_semaphore); });
  add("nanosleep", [&]() -> long {
    const timespec day{86400, 0};
    return ::nanosleep(&day, nullptr);
  });
  add("futex", [&]() -> long {
    std::unique_lock lock(mutex);
    condition.wait(lock, [] { return false; });
    return 0;
  });
  add("read", [&]() -> long {
    char c = 0;
    return ::read(read_fd, &c, 1);
  });
  add("pause", [&]() -> long {
    // pause ends with EINTR after a handler only: none is installed here.
    return ::pause();
  });
  add("recv_with_timeout", [&]() -> long {
    char c = 0;
    return ::recv(timeout_socket, &c, 1, 0);
  });
  add("recv", [&]() -> long {
    char c = 0;
    return ::recv(plain_socket, &c, 1, 0);
  });
  add("sigtimedwait", [&]() -> long {
    const timespec day{86400, 0};
    return ::sigtimedwait(&waited, nullptr, &day);
  });
  add("semtimedop", [&]() -> long {
    sembuf down{0, -1, 0};
    const timespec day{86400, 0};
    return ::semtimedop(semaphores, &down, 1, &day);
  });
  add("clock_nanosleep", [&]() -> long {
    const timespec day{86400, 0};
    errno = ::clock_nanosleep(CLOCK_MONOTONIC, 0, &day, nullptr);
    return errno == 0 ? 0 : -1;
  });
  for (Blocked& blocked : all) std::thread(run, std::ref(blocked)).detach();
  for (Blocked& blocked : all) {
    while (blocked.tid == 0) std::this_thread::yield();
    targets::say(blocked.name + " " + std::to_string(blocked.tid));
  }
  targets::say("ready");
  std::string line;
  while (targets::hear(line)) {
    for (Blocked& blocked : all) targets::say(blocked.name + " " + std::to_string(blocked.interrupted));
    targets::say("end");
  }
  ::semctl(semaphores, 0, IPC_RMID);
  ::_exit(0);
}
