// The floor under every tool that stops a whole process to copy its stacks: seize and interrupt all threads, wait for
// each, registers, stack bytes, release. Nothing else is done, so no such tool can hold the process for less.
//
// floor [--bytes N] PID...    one line of JSON per pid: threads, stack bytes copied, microseconds from the first seize
// to the last detach. --bytes: copied per thread at most; default 512 KiB, as hangstack, which is most stacks whole.
// Ends by SIGALRM after 20 s; the kernel releases what is held.

#include <dirent.h>
#include <elf.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string>
#include <vector>

namespace {

constexpr std::size_t kDefaultBytes = 512UL * 1024;
constexpr unsigned kDeadlineSeconds = 20;

struct Range {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

struct Held {
  pid_t tid = 0;
  int signal = 0;  ///< handed back on release, if the stop was the delivery of a signal
};

std::vector<Range> writable_ranges(pid_t pid) {
  std::vector<Range> ranges;
  std::FILE* file = std::fopen(("/proc/" + std::to_string(pid) + "/maps").c_str(), "re");
  if (file == nullptr) return ranges;
  char* line = nullptr;
  std::size_t size = 0;
  while (getline(&line, &size, file) > 0) {
    char* rest = nullptr;
    Range range;
    range.begin = std::strtoull(line, &rest, 16);
    if (*rest != '-') continue;
    range.end = std::strtoull(rest + 1, &rest, 16);
    if (std::strncmp(rest, " rw", 3) == 0) ranges.push_back(range);
  }
  std::free(line);
  std::fclose(file);
  return ranges;
}

/// Bytes from `address` to the end of its mapping, 0 if it is in none. `ranges` is in ascending order.
std::size_t bytes_above(const std::vector<Range>& ranges, std::uint64_t address) {
  const auto after = std::upper_bound(ranges.begin(), ranges.end(), address,
                                      [](std::uint64_t value, const Range& range) { return value < range.end; });
  return after != ranges.end() && after->begin <= address ? after->end - address : 0;
}

bool seize_new_threads(pid_t pid, std::set<pid_t>& seen, std::vector<Held>& held) {
  DIR* tasks = opendir(("/proc/" + std::to_string(pid) + "/task").c_str());
  if (tasks == nullptr) return false;
  bool found = false;
  while (const dirent* entry = readdir(tasks)) {
    const pid_t tid = std::atoi(entry->d_name);
    if (tid == 0 || !seen.insert(tid).second) continue;
    if (ptrace(PTRACE_SEIZE, tid, nullptr, nullptr) != 0) continue;
    ptrace(PTRACE_INTERRUPT, tid, nullptr, nullptr);
    held.push_back({tid});
    found = true;
  }
  closedir(tasks);
  return found;
}

/// False if the thread ended instead of stopping.
bool wait_for_stop(Held& thread) {
  int status = 0;
  if (waitpid(thread.tid, &status, __WALL) != thread.tid || !WIFSTOPPED(status)) return false;
  if (status >> 16 != PTRACE_EVENT_STOP) thread.signal = WSTOPSIG(status);
  return true;
}

std::size_t copy_stack(pid_t pid, const Held& thread, const std::vector<Range>& ranges, std::vector<char>& buffer) {
  user_regs_struct registers{};
  iovec words{&registers, sizeof registers};
  if (ptrace(PTRACE_GETREGSET, thread.tid, NT_PRSTATUS, &words) != 0) return 0;
  const iovec local{buffer.data(), std::min(buffer.size(), bytes_above(ranges, registers.rsp))};
  // An address of another process, never followed here.
  const iovec remote{reinterpret_cast<void*>(registers.rsp), local.iov_len};  // NOLINT(performance-no-int-to-ptr)
  const ssize_t copied = process_vm_readv(pid, &local, 1, &remote, 1, 0);
  return copied > 0 ? static_cast<std::size_t>(copied) : 0;
}

bool measure(pid_t pid, std::vector<char>& buffer) {
  const std::vector<Range> ranges = writable_ranges(pid);
  std::set<pid_t> seen;
  std::vector<Held> held;
  std::size_t bytes = 0;
  const auto begin = std::chrono::steady_clock::now();
  std::size_t waited = 0;
  while (seize_new_threads(pid, seen, held)) {
    for (; waited < held.size(); ++waited) {
      if (!wait_for_stop(held[waited])) held[waited].tid = 0;
    }
  }
  for (const Held& thread : held) {
    if (thread.tid != 0) bytes += copy_stack(pid, thread, ranges, buffer);
  }
  for (const Held& thread : held) {
    if (thread.tid != 0) ptrace(PTRACE_DETACH, thread.tid, nullptr, static_cast<long>(thread.signal));
  }
  const auto end = std::chrono::steady_clock::now();
  if (held.empty()) {
    std::fprintf(stderr, "floor: pid %d: no thread could be seized: %s\n", pid, std::strerror(errno));
    return false;
  }
  std::printf("{\"pid\": %d, \"threads\": %zu, \"bytes\": %zu, \"us\": %.1f}\n", pid, held.size(), bytes,
              std::chrono::duration<double, std::micro>(end - begin).count());
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t most = kDefaultBytes;
  int first = 1;
  if (argc > 2 && std::strcmp(argv[1], "--bytes") == 0) {
    most = std::strtoull(argv[2], nullptr, 10);
    first = 3;
  }
  if (first >= argc || most == 0) {
    std::fprintf(stderr, "usage: floor [--bytes N] PID...\n");
    return 2;
  }
  alarm(kDeadlineSeconds);
  std::vector<char> buffer(most, 1);  // touched before anything is held
  bool all = true;
  for (int i = first; i < argc; ++i) all = measure(std::atoi(argv[i]), buffer) && all;
  return all ? 0 : 1;
}
