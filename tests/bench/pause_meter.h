#pragma once
// How long a thread of the target was kept from running, as the thread itself sees it.
//
// A pinned thread reads CLOCK_MONOTONIC in a loop. Whenever two readings lie apart, it asks the kernel why: a thread
// that never sleeps switches voluntarily only when a tracer stops it (Linux sched/core.c: __schedule counts nvcsw for a
// task that is not runnable, nivcsw for one that was preempted), and the time it then waited for a core is in
// /proc/thread-self/schedstat. So a stop is told from preemption by other load, and measured without it.
//
// C interface, so that ctypes can load it into a Python rank.

#include <atomic>
#include <cstdint>

namespace hangstack::bench {

/// Gaps shorter than this are the loop itself and timer interrupts: not looked into.
constexpr std::uint64_t kSmallestGapNs = 5'000;
/// Gaps counted whatever their cause, for comparison with meters that cannot tell causes.
constexpr std::uint64_t kRawGapNs = 200'000;

enum Phase : std::uint64_t { kIdle, kMeasuring, kEnding };

/// The shared file, 8 words of 64 bits; measure/pause.py reads it by this order. Written by the meter, except that the
/// reader turns kMeasuring into kEnding; the meter answers with kIdle once the last gap is in.
struct PauseRecord {
  std::atomic<std::uint64_t> phase;            ///< a Phase
  std::atomic<std::uint64_t> stops;            ///< times the thread was stopped
  std::atomic<std::uint64_t> stopped_ns;       ///< their sum, without the wait for a core afterwards
  std::atomic<std::uint64_t> longest_stop_ns;  ///< the longest gap with a stop in it, likewise
  std::atomic<std::uint64_t> raw_gaps;         ///< gaps above kRawGapNs of any cause
  std::atomic<std::uint64_t> raw_ns;           ///< their sum
  std::atomic<std::uint64_t> longest_raw_ns;   ///< the longest of them
  std::atomic<std::uint64_t> tid;              ///< of the meter thread, in its own pid namespace
};

}  // namespace hangstack::bench

extern "C" {
/// Starts the meter thread, pinned to `cpu`. `record_path`: an existing file of at least sizeof(PauseRecord) bytes,
/// in memory: a write to a page that a disk just took may sleep, which would count as a stop.
/// `start_path`: a FIFO; each byte written to it starts one measurement, which zeroes the record first. Between
/// measurements the thread sleeps in read(). Returns 0 or an errno value.
int pause_meter_start(const char* record_path, const char* start_path, int cpu);
}
