#include "classifiers/states/process_state.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/job_builder.h"

namespace hangstack::classifiers {
namespace {

struct Judged {
  model::ProcessHistory history;
  NameTable names;
  ProcessFacts facts;

  explicit Judged(const std::string& text) : Judged(std::vector{text}) {}
  explicit Judged(const std::vector<std::string>& samples) {
    for (const std::string& text : samples) history.samples.push_back(tests::process_of(text));
    facts = process_facts(history, names);
    mark_threads(facts);
  }
  [[nodiscard]] std::string blocking() const { return facts.blocking_thread()->view.thread->name; }
};

const char* const kQueue =
    "thread main syscall=futex\n sem_clockwait libc.so.6\n py wait lib/threading.py:5\n"
    " py get lib/queue.py:180\n py loop serve.py:3\n";
const char* const kCollective =
    " pthread_cond_wait libc.so.6\n c10d::Work::wait libtorch_cpu.so\n"
    " py all_reduce torch/distributed/distributed_c10d.py:5\n py forward model.py:9\n";

TEST(BlockingThread, MainIfItWaitsItself) {
  const Judged judged(tests::in_all_reduce(0, 2));
  EXPECT_EQ(judged.blocking(), "python");
  EXPECT_EQ(judged.facts.state().operation, "all_reduce");
  const auto& threads = judged.history.samples.back().threads;
  EXPECT_TRUE(threads[0].blocking);
  EXPECT_FALSE(threads[0].suppressed);
  EXPECT_TRUE(threads[1].suppressed);   // gloo transport
  EXPECT_TRUE(threads[2].suppressed);   // gloo worker, idle
  EXPECT_FALSE(threads[3].suppressed);  // gloo worker in the all_reduce
  EXPECT_EQ(threads[3].role, "gloo worker");
  EXPECT_TRUE(threads[4].suppressed);  // OpenMP
}

TEST(BlockingThread, TheForwardThreadWhenMainWaitsForAQueue) {
  const Judged judged(std::string("process rank=0 world=2\n") + kQueue + "thread forward syscall=futex\n" +
                      kCollective);
  EXPECT_EQ(judged.blocking(), "forward");
  EXPECT_EQ(judged.facts.state().kind, StateKind::collective);
}

TEST(BlockingThread, TheAutogradThreadWhenMainWaitsForBackward) {
  const Judged judged(
      "process rank=0 world=2\nthread main syscall=futex\n pthread_cond_wait libc.so.6\n"
      " torch::autograd::Engine::execute_with_graph_task libtorch_cpu.so\n"
      " py _engine_run_backward torch/autograd/graph.py:5\n py backward torch/_tensor.py:5\n py step train.py:5\n"
      "thread pt_autograd_0 syscall=futex\n pthread_cond_wait libc.so.6\n c10d::Work::wait libtorch_cpu.so\n"
      " py all_reduce torch/distributed/distributed_c10d.py:5\n py hook train.py:9\n"
      " torch::autograd::Engine::thread_main libtorch_cpu.so\n");
  EXPECT_EQ(judged.blocking(), "pt_autograd_0");
  EXPECT_EQ(judged.facts.state().site->text(), "hook train.py:9");
}

TEST(BlockingThread, AJoinedThreadStandsForItsWaiter) {
  const Judged judged(
      "process rank=0 world=2\nthread main syscall=futex\n sem_wait libc.so.6\n py join lib/threading.py:9\n"
      " py main train.py:40\nthread worker syscall=clock_nanosleep\n clock_nanosleep libc.so.6\n py load data.py:4\n"
      " py run lib/threading.py:1012\n");
  EXPECT_EQ(judged.blocking(), "worker");
  EXPECT_EQ(judged.facts.state().kind, StateKind::sleep);
}

TEST(BlockingThread, ASideThreadThatSleepsDoesNotStandForAQueueWait) {
  const Judged judged(std::string("process rank=0 world=2\n") + kQueue +
                      "thread heartbeat syscall=clock_nanosleep\n clock_nanosleep libc.so.6\n py beat health.py:4\n");
  EXPECT_EQ(judged.blocking(), "python");
}

TEST(BlockingThread, AMainThreadThatWorksIsNotReplaced) {
  const Judged judged(std::string("process rank=0 world=2\nthread main state=R\n py compute model.py:3\n"
                                  "thread saver syscall=futex\n") +
                      kCollective);
  EXPECT_EQ(judged.blocking(), "python");
  EXPECT_EQ(judged.facts.pending_threads().size(), 1U);
}

TEST(ProcessFacts, SurviveProcessesWithoutThreadsOrSamples) {
  const Judged empty("process rank=0 world=2\n");
  EXPECT_FALSE(empty.facts.blocking.has_value());
  EXPECT_EQ(empty.facts.state().kind, StateKind::unknown);
  model::ProcessHistory none;
  NameTable names;
  EXPECT_TRUE(process_facts(none, names).threads.empty());
}

/// A main thread in an all_reduce at `at` seconds; the counters say it last ran `asleep` seconds ago.
std::string stopped_at(int at, double asleep, int switches) {
  return fmt::format(
             "process rank=0 world=2 at={}\nthread main syscall=futex stopped=1 asleep={} switches={} run={} "
             "after_stop={}\n",
             at, asleep, switches, switches, switches + 1) +
         kCollective;
}

TEST(TimeAsleep, OwnStopsDoNotEndASleep) {
  const Judged judged({stopped_at(100, 60, 7), stopped_at(102, 2, 8), stopped_at(104, 2, 9)});
  EXPECT_EQ(judged.facts.moved, false);
  EXPECT_EQ(judged.facts.asleep_s, 64);
  EXPECT_EQ(judged.history.last().threads[0].clocks.asleep_s, 64);
}

TEST(TimeAsleep, ARunOfItsOwnBetweenTheStopsDoes) {
  const Judged judged({stopped_at(100, 60, 7), stopped_at(102, 1, 9), stopped_at(104, 2, 10)});
  EXPECT_EQ(judged.facts.moved, true);
  EXPECT_EQ(judged.history.last().threads[0].clocks.asleep_s, 3);
}

TEST(TimeAsleep, WithoutAStopTheKernelsWordStands) {
  const auto looked_at = [](int at, double asleep) {
    return fmt::format("process rank=0 world=2 at={}\nthread main syscall=futex asleep={}\n", at, asleep) + kCollective;
  };
  EXPECT_EQ(Judged({looked_at(100, 60), looked_at(102, 62.5)}).facts.asleep_s, 62.5);
}

}  // namespace
}  // namespace hangstack::classifiers
