#include "tests/lab/standin/cuda/device.h"

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <ctime>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "tests/lab/standin/cuda/control.h"

namespace hangstack::standin {

struct Stream {
  std::deque<std::unique_ptr<Operation>> pending;  ///< guarded by Device::mutex; only the device thread pops
  uint64_t enqueued = 0;                           ///< guarded by Device::mutex
  std::atomic<uint64_t> done = 0;
};

namespace {

constexpr auto kNapOfDevice = std::chrono::milliseconds(1);
constexpr auto kLongestNapOfDevice = std::chrono::milliseconds(10);
constexpr unsigned kNapOfWaiterUs = 2000;

struct Device {
  std::mutex mutex;
  std::condition_variable work;
  std::vector<Stream*> streams{new Stream};  ///< [0] is the default stream
  bool thread_runs = false;
};

// Never destroyed: the destructor of a condition variable that the device thread waits on would block exit().
Device& device() {
  static Device* const kDevice = new Device;
  return *kDevice;
}

Stream& resolve(Stream* stream) { return stream ? *stream : *device().streams[0]; }

/// Runs what can run in `stream`; true when something finished. Operations run without the lock.
bool advance(Stream& stream) {
  bool progress = false;
  for (;;) {
    Operation* oldest = nullptr;
    {
      const std::lock_guard lock(device().mutex);
      if (stream.pending.empty()) return progress;
      oldest = stream.pending.front().get();
    }
    if (oldest && !oldest->advance()) return progress;
    const std::lock_guard lock(device().mutex);
    stream.pending.pop_front();
    ++stream.done;
    progress = true;
  }
}

bool anything_pending() {
  for (const Stream* stream : device().streams) {
    if (!stream->pending.empty()) return true;
  }
  return false;
}

/// A kernel behind another one starts although its process sleeps, as on a GPU: so the device has a thread of its own.
void run_device() {
  ::pthread_setname_np(::pthread_self(), "cuda-EvtHandlr");  // the name of a real driver's thread
  auto nap = kNapOfDevice;
  for (;;) {
    bool progress = false;
    for (size_t i = 0;; ++i) {
      Stream* stream = nullptr;
      {
        const std::lock_guard lock(device().mutex);
        if (i >= device().streams.size()) break;
        stream = device().streams[i];
      }
      progress |= advance(*stream);
    }
    if (progress) nap = kNapOfDevice;
    if (progress) continue;
    std::unique_lock lock(device().mutex);
    if (anything_pending()) {
      device().work.wait_for(lock, nap);
      nap = std::min(nap * 2, std::chrono::milliseconds(kLongestNapOfDevice));
    } else {
      device().work.wait(lock, anything_pending);
      nap = kNapOfDevice;
    }
  }
}

void pause_as_a_driver() {
  if (control().spin) {
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    ::sched_yield();
  } else {
    ::usleep(kNapOfWaiterUs);
  }
}

class WaitForMark : public Operation {
 public:
  explicit WaitForMark(Mark mark) : mark_(mark) {}
  bool advance() override { return reached(mark_); }

 private:
  Mark mark_;
};

class HostFunction : public Operation {
 public:
  HostFunction(void (*function)(void*), void* data) : function_(function), data_(data) {}
  bool advance() override {
    function_(data_);
    return true;
  }

 private:
  void (*function_)(void*);
  void* data_;
};

}  // namespace

Stream* create_stream() {
  auto* stream = new Stream;
  const std::lock_guard lock(device().mutex);
  device().streams.push_back(stream);
  return stream;
}

void enqueue(Stream* stream, std::unique_ptr<Operation> operation) {
  Stream& target = resolve(stream);
  const std::lock_guard lock(device().mutex);
  ++target.enqueued;
  if (!operation && target.pending.empty()) {
    ++target.done;
    return;
  }
  target.pending.push_back(std::move(operation));
  if (!device().thread_runs) {
    device().thread_runs = true;
    std::thread(run_device).detach();
  }
  device().work.notify_one();
}

void wait_for_room(Stream* stream) {
  Stream& target = resolve(stream);
  const auto full = [&target] {
    const std::lock_guard lock(device().mutex);
    return target.pending.size() >= control().queue;
  };
  if (!full()) return;
  log_line("full");
  while (full()) pause_as_a_driver();
}

void enqueue_wait(Stream* stream, Mark mark) {
  if (!reached(mark)) enqueue(stream, std::make_unique<WaitForMark>(mark));
}

void enqueue_host_function(Stream* stream, void (*function)(void*), void* data) {
  enqueue(stream, std::make_unique<HostFunction>(function, data));
}

Mark mark_of(Stream* stream) {
  Stream& source = resolve(stream);
  const std::lock_guard lock(device().mutex);
  return {&source, source.enqueued};
}

bool reached(Mark mark) { return !mark.stream || mark.stream->done >= mark.sequence; }

void wait_for(Mark mark) {
  while (!reached(mark)) pause_as_a_driver();
}

void wait_for_all() {
  std::vector<Mark> marks;
  {
    const std::lock_guard lock(device().mutex);
    for (Stream* stream : device().streams) marks.push_back({stream, stream->enqueued});
  }
  for (const Mark mark : marks) wait_for(mark);
}

}  // namespace hangstack::standin
