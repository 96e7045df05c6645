// A storm of queued signals while the process is sampled: none lost, none doubled, nothing left behind.

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <sstream>
#include <thread>

#include "tests/support/program.h"
#include "tests/support/sampling.h"

namespace hangstack::tests {
namespace {

using sampler::StopMode;

constexpr int kMaxSignals = 1 << 24;  ///< as many as the target can tell apart

int storm_samples() {
  const char* wanted = std::getenv("HANGSTACK_STORM_SAMPLES");
  return wanted == nullptr ? 300 : std::max(3, std::atoi(wanted));
}

class Storm : public ::testing::Test {
 protected:
  Storm() : target_({std::string(HANGSTACK_TARGETS) + "/target_signal_storm"}) {
    std::istringstream line(target_.read_line());
    std::int32_t tid = 0;
    while (line >> tid) tids_.push_back(tid);
    EXPECT_EQ(target_.read_line(), "ready");
    sender_ = std::thread([this] { send(); });
  }
  ~Storm() override { end_storm(); }

  void end_storm() {
    ending_ = true;
    if (sender_.joinable()) sender_.join();
  }

  /// Ends the storm; what the target counted must be what was sent.
  void expect_all_signals_arrived() {
    end_storm();
    std::printf("%d signals were sent\n", sent_.load());
    EXPECT_LT(sent_, kMaxSignals) << "the storm ended before the samples did";
    // Queued signals are taken before the line is read by another thread, or soon after.
    std::string received;
    for (int i = 0; i < 200; ++i) {
      target_.write("report\n");
      received = target_.read_line();
      const std::string lost = target_.read_line();
      const std::string doubled = target_.read_line();
      EXPECT_EQ(doubled, "doubled 0");
      if (received == "received " + std::to_string(sent_)) {
        EXPECT_EQ(lost, "lost 0");
        break;
      }
    }
    EXPECT_EQ(received, "received " + std::to_string(sent_));
  }

  void expect_untraced() {
    for (const std::int32_t tid : tids_) EXPECT_EQ(status_field(tids_.front(), tid, "TracerPid"), "0") << tid;
  }

  Target target_;
  std::vector<std::int32_t> tids_;  ///< the main thread first, then the takers
  std::atomic<int> sent_{0};

 private:
  /// Alternates between the process and its threads; pauses while the queue is full.
  void send() {
    const std::int32_t pid = tids_.front();
    while (!ending_ && sent_ < kMaxSignals) {
      sigval value{};
      value.sival_int = sent_;
      if (::sigqueue(pid, SIGRTMIN, value) == 0) {
        ++sent_;
      } else if (errno != EAGAIN) {
        break;
      }
      const timespec moment{0, 30'000};
      ::nanosleep(&moment, nullptr);
    }
  }

  std::atomic<bool> ending_{false};
  std::thread sender_;
};

TEST_F(Storm, LosesAndDoublesNoSignal) {
  const int samples = storm_samples();
  for (const StopMode mode : {StopMode::automatic, StopMode::all, StopMode::never}) {
    for (int i = 0; i < samples / 3; ++i) {
      const auto result = sample_one(target_.pid(), mode);
      ASSERT_TRUE(result) << problems_of(result);
      ASSERT_EQ(result->threads.size(), 4U);
    }
  }
  expect_untraced();
  expect_all_signals_arrived();
}

TEST_F(Storm, SurvivesTheDeathOfTheSamplerAtAnyMoment) {
  const int deaths = storm_samples() / 3;
  for (int i = 0; i < deaths; ++i) {
    const pid_t sampler = ::fork();
    if (sampler == 0) {
      const StopMode mode = i % 2 == 0 ? StopMode::all : StopMode::automatic;
      while (true) sample_one(target_.pid(), mode);
    }
    // Another moment each time, over the length of some samples.
    const timespec moment{0, 1'000'000L + i * 7919'000L % 40'000'000L};
    ::nanosleep(&moment, nullptr);
    ::kill(sampler, SIGKILL);
    ASSERT_EQ(::waitpid(sampler, nullptr, 0), sampler);
    // Its child dies with it (PR_SET_PDEATHSIG), at the next chance of the scheduler.
    for (const std::int32_t tid : tids_) EXPECT_TRUE(wait_for_state(target_.pid(), tid, "RS")) << tid;
  }
  for (const std::int32_t tid : tids_) {
    for (int i = 0; i < 1000 && status_field(target_.pid(), tid, "TracerPid") != "0"; ++i) std::this_thread::yield();
  }
  expect_untraced();
  expect_all_signals_arrived();
}

}  // namespace
}  // namespace hangstack::tests
