// How long a process stands still, beside the least that any tool needs: seize and interrupt all, registers, the same
// stack bytes, let go. Times are printed; only their ratio can fail.

#include <elf.h>
#include <gtest/gtest.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

#include "tests/support/program.h"
#include "tests/support/sampling.h"

namespace hangstack::tests {
namespace {

using sampler::StopMode;

constexpr int kRuns = 21;

struct Stack {
  std::int32_t tid = 0;
  std::uint64_t address = 0;
  std::size_t bytes = 0;
};

/// Microseconds from the first seize to the last detach.
double floor_us(const std::vector<Stack>& stacks, std::vector<std::vector<std::byte>>& buffers) {
  const auto since = std::chrono::steady_clock::now();
  for (const Stack& stack : stacks) {
    ::ptrace(PTRACE_SEIZE, stack.tid, nullptr, nullptr);
    ::ptrace(PTRACE_INTERRUPT, stack.tid, nullptr, nullptr);
  }
  for (std::size_t i = 0; i < stacks.size(); ++i) {
    int status = 0;
    ::waitpid(stacks[i].tid, &status, __WALL);
    user_regs_struct regs{};
    iovec place{&regs, sizeof regs};
    ::ptrace(PTRACE_GETREGSET, stacks[i].tid, NT_PRSTATUS, &place);
    const iovec local{buffers[i].data(), stacks[i].bytes};
    const iovec remote{reinterpret_cast<void*>(stacks[i].address), stacks[i].bytes};
    ::process_vm_readv(stacks[i].tid, &local, 1, &remote, 1, 0);
  }
  for (const Stack& stack : stacks) ::ptrace(PTRACE_DETACH, stack.tid, nullptr, nullptr);
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - since).count();
}

double median(std::vector<double> values) {
  std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2));
  return values[values.size() / 2];
}

double best(const std::vector<double>& values) { return *std::ranges::min_element(values); }

struct Times {
  std::vector<double> floor;
  std::vector<double> strict;
};

Times measure(int idle_threads) {
  Times times;
  Target target({std::string(HANGSTACK_TARGETS) + "/target_spinners", "0", std::to_string(idle_threads)});
  target.read_line();
  EXPECT_EQ(target.read_line(), "ready");
  std::vector<Stack> stacks;
  std::vector<std::vector<std::byte>> buffers;
  const auto first = sample_one(target.pid(), StopMode::never);
  EXPECT_TRUE(first) << problems_of(first);
  if (!first) return times;
  for (const auto& thread : first->threads) {
    const auto& stack = thread.memory.front();
    stacks.push_back({thread.tid, stack.address.value, stack.bytes.size()});
    buffers.emplace_back(stack.bytes.size());
  }
  for (int i = 0; i < kRuns; ++i) {
    times.floor.push_back(floor_us(stacks, buffers));
    const auto result = sample_one(target.pid(), StopMode::all);
    EXPECT_TRUE(result) << problems_of(result);
    if (result) times.strict.push_back(result->stopped_us);
  }
  return times;
}

/// A machine that is busy lengthens single runs of either side: the shortest or the median has to hold.
TEST(StopTime, OfAllThreadsIsNearTheFloor) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the time of code that a sanitizer instruments says nothing";
#endif
  for (const int idle_threads : {7, 149}) {
    const Times times = measure(idle_threads);
    ASSERT_EQ(times.strict.size(), static_cast<std::size_t>(kRuns));
    const double ratio = best(times.strict) / best(times.floor);
    std::printf("%d threads: floor best %.0f median %.0f us, all best %.0f median %.0f us, ratio of the best %.2f\n",
                idle_threads + 1, best(times.floor), median(times.floor), best(times.strict), median(times.strict),
                ratio);
    EXPECT_LE(std::min(ratio, median(times.strict) / median(times.floor)), 2.0);
  }
}

}  // namespace
}  // namespace hangstack::tests
