#include "tests/bench/pause_meter.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <string>

namespace hangstack::bench {
namespace {

struct Meter {
  PauseRecord* record = nullptr;
  std::string start_path;
  int cpu = 0;
};

std::uint64_t now_ns() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(time.tv_nsec);
}

std::uint64_t voluntary_switches() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return static_cast<std::uint64_t>(usage.ru_nvcsw);
}

/// The second number of schedstat: ns spent runnable but waiting for a core; 0 if the kernel does not say.
std::uint64_t waited_for_core_ns(int schedstat) {
  std::array<char, 128> text{};
  const ssize_t length = pread(schedstat, text.data(), text.size() - 1, 0);
  if (length <= 0) return 0;
  char* after_first = nullptr;
  std::strtoull(text.data(), &after_first, 10);
  return std::strtoull(after_first, nullptr, 10);
}

void raise(std::atomic<std::uint64_t>& longest, std::uint64_t value) {
  longest.store(std::max(longest.load(std::memory_order_relaxed), value), std::memory_order_relaxed);
}

void reset(PauseRecord& record) {
  for (auto* word : {&record.stops, &record.stopped_ns, &record.longest_stop_ns, &record.raw_gaps, &record.raw_ns,
                     &record.longest_raw_ns}) {
    word->store(0);
  }
  record.phase.store(kMeasuring);
}

struct KernelView {
  std::uint64_t switches = 0;
  std::uint64_t waited = 0;
};

void count_gap(PauseRecord& record, std::uint64_t gap, KernelView& before, int schedstat) {
  if (gap > kRawGapNs) {
    record.raw_gaps.fetch_add(1);
    record.raw_ns.fetch_add(gap);
    raise(record.longest_raw_ns, gap);
  }
  const KernelView after{voluntary_switches(), waited_for_core_ns(schedstat)};
  if (after.switches != before.switches) {
    const std::uint64_t stopped = gap - std::min(gap, after.waited - before.waited);
    // More than one, where the thread did not get a core between two stops.
    record.stops.fetch_add(after.switches - before.switches);
    record.stopped_ns.fetch_add(stopped);
    raise(record.longest_stop_ns, stopped);
  }
  before = after;
}

void measure(PauseRecord& record, int schedstat) {
  KernelView view{voluntary_switches(), waited_for_core_ns(schedstat)};
  reset(record);
  std::uint64_t last = now_ns();
  bool ending = false;
  while (!ending) {
    // Read before the clock: the gap that contains the reader's request is looked into as well.
    ending = record.phase.load(std::memory_order_relaxed) == kEnding;
    const std::uint64_t now = now_ns();
    const std::uint64_t gap = now - last;
    last = now;
    // The time this takes is part of the next gap: a stop may fall into it.
    if (gap >= kSmallestGapNs) count_gap(record, gap, view, schedstat);
  }
  record.phase.store(kIdle);
}

void* run_meter(void* argument) {
  Meter* meter = static_cast<Meter*>(argument);
  pthread_setname_np(pthread_self(), "pause_meter");
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  CPU_SET(meter->cpu, &cpus);
  pthread_setaffinity_np(pthread_self(), sizeof cpus, &cpus);
  const int schedstat = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
  const int start = open(meter->start_path.c_str(), O_RDONLY | O_CLOEXEC);
  meter->record->tid.store(static_cast<std::uint64_t>(syscall(SYS_gettid)));
  char byte = 0;
  while (start >= 0 && read(start, &byte, 1) == 1) measure(*meter->record, schedstat);
  return nullptr;
}

}  // namespace
}  // namespace hangstack::bench

int pause_meter_start(const char* record_path, const char* start_path, int cpu) {
  using hangstack::bench::Meter;
  using hangstack::bench::PauseRecord;
  const int file = open(record_path, O_RDWR | O_CLOEXEC);
  if (file < 0) return errno;
  void* memory = mmap(nullptr, sizeof(PauseRecord), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  const int map_error = memory == MAP_FAILED ? errno : 0;
  close(file);
  if (map_error != 0) return map_error;
  // Lives as long as the process: the meter thread never ends.
  static Meter meter;
  meter = {static_cast<PauseRecord*>(memory), start_path, cpu};
  pthread_t thread{};
  return pthread_create(&thread, nullptr, hangstack::bench::run_meter, &meter);
}
