#include "sampler/sampler.h"

#include <fmt/core.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>

#include "sampler/child_process.h"
#include "sampler/collection.h"
#include "sampler/target_reader.h"

namespace hangstack::sampler {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

/// How long a killed child is waited for before it is left behind.
constexpr int kKillPatienceMs = 50;

/// A signal that arrives right before a wait is noticed so late.
constexpr int kLongestWaitMs = 250;

/// One target, from its first child to its result.
class Reading {
 public:
  Reading(const Target& target, const SamplingOptions& options, const InspectorFactory& make_inspector)
      : make_inspector_(make_inspector),
        collection_(target, options),
        deadline_(steady_clock::now() + options.deadline) {}

  void start() {
    collection_.begin_child();
    auto child = ChildProcess::start([this](int pipe) { read_target(collection_.plan(), make_inspector_, pipe); });
    if (child) {
      child_.emplace(std::move(*child));
    } else {
      collection_.child_missing(child.error());
    }
  }

  [[nodiscard]] bool running() const { return child_.has_value(); }
  [[nodiscard]] int pipe() const { return child_->pipe(); }
  [[nodiscard]] steady_clock::time_point next_deadline() const {
    return std::min(deadline_, collection_.step_deadline());
  }

  /// Takes what lies in the pipe; a child that is through, or gone, is ended.
  void read_pipe() {
    std::array<char, 1 << 16> buffer{};
    while (true) {
      const ssize_t bytes = ::read(child_->pipe(), buffer.data(), buffer.size());
      if (bytes > 0) {
        collection_.feed({buffer.data(), static_cast<std::size_t>(bytes)});
        continue;
      }
      if (bytes < 0 && errno == EINTR) continue;
      if (bytes < 0 && errno == EAGAIN) return;
      break;
    }
    end_child(false);
  }

  void check_time() {
    if (steady_clock::now() < next_deadline()) return;
    // What came while others were read is no delay of the child's.
    read_pipe();
    const auto now = steady_clock::now();
    if (!running() || now < next_deadline()) return;
    if (now >= deadline_) cut_ = Cut::out_of_time;
    end_child(true);
  }

  void interrupt() {
    cut_ = Cut::interrupted;
    end_child(true);
  }

  SampleResult take() { return collection_.take(cut_); }

 private:
  void end_child(bool overdue) {
    if (overdue) {
      child_->kill(kKillPatienceMs);
      drain();
    }
    child_->close_pipe();
    child_->kill(overdue ? 0 : kKillPatienceMs);
    const ChildEnd end = child_->end();
    child_.reset();
    if (collection_.is_done() || cut_ == Cut::interrupted) return;
    collection_.child_lost(end, overdue);
    if (cut_ == Cut::none && collection_.wants_another_child()) start();
  }

  /// What a killed child had written.
  void drain() {
    std::array<char, 1 << 16> buffer{};
    ssize_t bytes = 0;
    while ((bytes = ::read(child_->pipe(), buffer.data(), buffer.size())) > 0)
      collection_.feed({buffer.data(), static_cast<std::size_t>(bytes)});
  }

  const InspectorFactory& make_inspector_;
  Collection collection_;
  steady_clock::time_point deadline_;
  std::optional<ChildProcess> child_;
  Cut cut_ = Cut::none;
};

/// One round: waits until a pipe has something or a deadline passes.
void wait_and_read(std::span<Reading* const> running) {
  std::vector<pollfd> waits;
  auto deadline = steady_clock::time_point::max();
  for (const Reading* reading : running) {
    waits.push_back({reading->pipe(), POLLIN, 0});
    deadline = std::min(deadline, reading->next_deadline());
  }
  const auto left = std::chrono::ceil<milliseconds>(deadline - steady_clock::now());
  const int timeout = static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, kLongestWaitMs));
  const int ready = ::poll(waits.data(), waits.size(), timeout);
  for (std::size_t i = 0; i < running.size(); ++i) {
    if (ready > 0 && waits[i].revents != 0) running[i]->read_pipe();
    if (running[i]->running()) running[i]->check_time();
  }
}

}  // namespace

std::vector<SampleResult> sample_processes(std::span<const Target> targets, const SamplingOptions& options,
                                           const InspectorFactory& make_inspector,
                                           const std::function<bool()>& interrupted) {
  const ReapableChildren reapable;
  std::vector<Reading> readings;
  readings.reserve(targets.size());
  for (const Target& target : targets) readings.emplace_back(target, options, make_inspector).start();
  while (true) {
    std::vector<Reading*> running;
    for (Reading& reading : readings) {
      if (reading.running()) running.push_back(&reading);
    }
    if (running.empty()) break;
    if (interrupted && interrupted()) {
      for (Reading* reading : running) reading->interrupt();
    } else {
      wait_and_read(running);
    }
  }
  std::vector<SampleResult> results;
  results.reserve(readings.size());
  for (Reading& reading : readings) results.push_back(reading.take());
  return results;
}

}  // namespace hangstack::sampler
