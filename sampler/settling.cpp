#include "sampler/settling.h"

#include <chrono>
#include <ctime>
#include <vector>

#include "sampler/proc/thread_evidence.h"

namespace hangstack::sampler {
namespace {

using model::ThreadCapture;
using std::chrono::steady_clock;

constexpr std::chrono::milliseconds kPatience{2};
constexpr timespec kPause{0, 50'000};

}  // namespace

void read_clocks_after_stop(const ProcFiles& proc, std::int32_t pid, std::span<ThreadCapture> threads) {
  std::vector<ThreadCapture*> waking;
  for (ThreadCapture& thread : threads) {
    if (thread.method != model::CaptureMethod::stopped || thread.clocks_after_stop) continue;
    thread.clocks_after_stop = read_clocks_at_rest(proc, pid, thread.tid);
    if (!thread.clocks_after_stop && thread.syscall) waking.push_back(&thread);
  }
  const auto end = steady_clock::now() + kPatience;
  while (!waking.empty() && steady_clock::now() < end) {
    ::nanosleep(&kPause, nullptr);
    std::erase_if(waking, [&](ThreadCapture* thread) {
      thread->clocks_after_stop = read_clocks_at_rest(proc, pid, thread->tid);
      return thread->clocks_after_stop.has_value();
    });
  }
}

}  // namespace hangstack::sampler
