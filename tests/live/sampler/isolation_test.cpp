// A reader that blocks, crashes or lies costs one thread or one step, never the rest, and never the target.

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <functional>
#include <memory>
#include <new>
#include <sstream>

#include "model/segment_reader.h"
#include "tests/support/program.h"
#include "tests/support/sampling.h"

namespace hangstack::tests {
namespace {

using model::CaptureMethod;
using model::ErrorCode;
using model::RemoteAddress;
using model::ThreadCapture;
using sampler::StopMode;

std::string target_path(const std::string& name) { return std::string(HANGSTACK_TARGETS) + "/target_" + name; }

constexpr std::array kModes{StopMode::automatic, StopMode::all, StopMode::never};

/// An inspector made of functions.
class Inspection : public model::Inspector {
 public:
  std::function<void(model::MemoryReader&)> at_prepare = [](model::MemoryReader&) {};
  std::function<void(const ThreadCapture&, model::MemoryReader&)> at_thread = [](const ThreadCapture&,
                                                                                 model::MemoryReader&) {};
  std::function<void(const model::ProcessCapture&, model::MemoryReader&)> at_finish = [](const model::ProcessCapture&,
                                                                                         model::MemoryReader&) {};

  void prepare(const model::ProcessCapture&, model::MemoryReader& memory) override { at_prepare(memory); }
  void read_thread(const ThreadCapture& thread, model::MemoryReader& memory) override { at_thread(thread, memory); }
  void finish(const model::ProcessCapture& process, model::MemoryReader& memory) override {
    at_finish(process, memory);
  }
};

sampler::SampleResult inspect(std::int32_t pid, StopMode stop, std::chrono::milliseconds deadline,
                              const Inspection& inspection) {
  sampler::SamplingOptions options;
  options.stop = stop;
  options.deadline = deadline;
  const std::array<sampler::Target, 1> targets{{{pid, {}}}};
  return std::move(
      sampler::sample_processes(targets, options, [&] { return std::make_unique<Inspection>(inspection); }).front());
}

[[noreturn]] void block_for_good() {
  while (true) ::pause();
}

struct Sleepers {
  Sleepers() : target({target_path("spinners"), "0", "3"}) {
    target.read_line();
    EXPECT_EQ(target.read_line(), "ready");
  }
  Target target;
};

TEST(BlockedReading, OfOneThreadCostsOnlyThatThread) {
  Sleepers sleepers;
  const std::int32_t pid = sleepers.target.pid();
  Inspection inspection;
  inspection.at_thread = [pid](const ThreadCapture& thread, model::MemoryReader&) {
    if (thread.tid == pid) block_for_good();
  };
  const auto result = inspect(pid, StopMode::automatic, std::chrono::seconds(8), inspection);
  ASSERT_TRUE(result) << problems_of(result);
  ASSERT_EQ(result->threads.size(), 4U);
  for (const ThreadCapture& thread : result->threads) {
    if (thread.tid != pid) {
      EXPECT_EQ(thread.method, CaptureMethod::looked) << problems_of(result);
      continue;
    }
    EXPECT_EQ(thread.method, CaptureMethod::none);
    ASSERT_EQ(thread.problems.size(), 1U);
    EXPECT_EQ(thread.problems.front().code, ErrorCode::timed_out);
    EXPECT_NE(thread.problems.front().message.find(std::to_string(pid)), std::string::npos);
    EXPECT_NE(thread.problems.front().message.find(thread.wchan), std::string::npos);
  }
}

TEST(BlockedReading, OfAStepCostsOnlyThatStep) {
  Sleepers sleepers;
  Inspection preparing;
  preparing.at_prepare = [](model::MemoryReader&) { block_for_good(); };
  const auto prepared = inspect(sleepers.target.pid(), StopMode::automatic, std::chrono::seconds(6), preparing);
  ASSERT_TRUE(prepared) << problems_of(prepared);
  EXPECT_NE(problems_of(prepared).find("interpreters"), std::string::npos) << problems_of(prepared);
  for (const ThreadCapture& thread : prepared->threads) EXPECT_EQ(thread.method, CaptureMethod::looked);

  Inspection finishing;
  finishing.at_finish = [](const model::ProcessCapture&, model::MemoryReader&) { block_for_good(); };
  const auto finished = inspect(sleepers.target.pid(), StopMode::automatic, std::chrono::seconds(6), finishing);
  ASSERT_TRUE(finished) << problems_of(finished);
  EXPECT_NE(problems_of(finished).find("records"), std::string::npos) << problems_of(finished);
  for (const ThreadCapture& thread : finished->threads) EXPECT_EQ(thread.method, CaptureMethod::looked);
}

TEST(BlockedReading, WhileAThreadIsStoppedLetsItGo) {
  Target target({target_path("spinners"), "1", "2"});
  const int busy = std::stoi(target.read_line());
  ASSERT_EQ(target.read_line(), "ready");
  for (const StopMode mode : {StopMode::automatic, StopMode::all}) {
    Inspection inspection;
    inspection.at_thread = [busy](const ThreadCapture& thread, model::MemoryReader&) {
      if (thread.tid == busy) block_for_good();
    };
    const auto result = inspect(target.pid(), mode, std::chrono::seconds(20), inspection);
    ASSERT_TRUE(result) << problems_of(result);
    EXPECT_NE(problems_of(result).find("did not end in time"), std::string::npos) << problems_of(result);
    EXPECT_EQ(status_field(target.pid(), busy, "TracerPid"), "0");
    EXPECT_TRUE(wait_for_state(target.pid(), busy, "R"));
    for (const ThreadCapture& thread : result->threads) {
      if (thread.tid == busy) continue;
      EXPECT_EQ(thread.method, CaptureMethod::looked) << problems_of(result);
    }
  }
}

TEST(CrashedReading, CostsOnlyThatThreadAndIsNamed) {
  Sleepers sleepers;
  const std::int32_t pid = sleepers.target.pid();
  Inspection inspection;
  inspection.at_thread = [pid](const ThreadCapture& thread, model::MemoryReader&) {
    if (thread.tid == pid) ::raise(SIGSEGV);
  };
  const auto result = inspect(pid, StopMode::automatic, std::chrono::seconds(10), inspection);
  ASSERT_TRUE(result) << problems_of(result);
  ASSERT_EQ(result->threads.size(), 4U);
  for (const ThreadCapture& thread : result->threads) {
    EXPECT_EQ(thread.method, thread.tid == pid ? CaptureMethod::none : CaptureMethod::looked);
  }
  EXPECT_NE(problems_of(result).find("signal 11"), std::string::npos) << problems_of(result);
}

TEST(LaterChild, FinishesForTheThreadsOfAnEarlierOne) {
  struct Shared {
    int deaths = 0;
    int threads_at_finish = 0;
  };
  void* page = ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(page, MAP_FAILED);
  auto* shared = new (page) Shared;
  Sleepers sleepers;
  Inspection inspection;
  auto read = std::make_shared<int>(0);
  inspection.at_thread = [=](const ThreadCapture& thread, model::MemoryReader& memory) {
    if (*read == 2 && shared->deaths == 0) {
      ++shared->deaths;
      ::raise(SIGKILL);
    }
    if (memory.read<std::uint64_t>(RemoteAddress{*thread.registers.get(model::Register::rsp)})) ++*read;
  };
  inspection.at_finish = [=](const model::ProcessCapture&, model::MemoryReader&) { shared->threads_at_finish = *read; };
  const auto result = inspect(sleepers.target.pid(), StopMode::automatic, std::chrono::seconds(10), inspection);
  ASSERT_TRUE(result) << problems_of(result);
  EXPECT_EQ(shared->deaths, 1);
  // Two of the first child, one of the second; the one at which the first died is left out.
  EXPECT_EQ(shared->threads_at_finish, 3);
  ::munmap(page, sizeof(Shared));
}

TEST(UserFaultPage, DelaysNobody) {
  Target target({target_path("userfault")});
  std::string line = target.read_line();
  if (line.starts_with("skip")) GTEST_SKIP() << "no userfaultfd here: " << line;
  std::istringstream words(line);
  int stuck = 0;
  std::uint64_t page = 0;
  words >> stuck >> page;
  ASSERT_EQ(target.read_line(), "ready");
  ASSERT_TRUE(wait_for_state(target.pid(), stuck, "SD"));
  Inspection inspection;
  inspection.at_thread = [page](const ThreadCapture&, model::MemoryReader& memory) {
    memory.read<std::uint64_t>(RemoteAddress{page});
  };
  for (const StopMode mode : kModes) {
    const auto result = inspect(target.pid(), mode, std::chrono::seconds(40), inspection);
    ASSERT_TRUE(result) << problems_of(result);
    EXPECT_EQ(problems_of(result), "");
    ASSERT_EQ(result->threads.size(), 3U);
    for (const ThreadCapture& thread : result->threads) {
      EXPECT_NE(thread.method, CaptureMethod::none);
      EXPECT_FALSE(thread.memory.empty());
      for (const auto& segment : thread.memory) EXPECT_NE(segment.address.value, page);
    }
  }
}

TEST(FusePage, DelaysNobody) {
  Target target({target_path("fuse_page")});
  std::string line = target.read_line();
  if (line.starts_with("skip")) GTEST_SKIP() << "no FUSE here: " << line;
  std::istringstream words(line);
  int reader = 0;
  int faulter = 0;
  std::uint64_t page = 0;
  words >> reader >> faulter >> page;
  ASSERT_EQ(target.read_line(), "ready");
  ASSERT_TRUE(wait_for_state(target.pid(), reader, "SD"));
  ASSERT_TRUE(wait_for_state(target.pid(), faulter, "SD"));
  Inspection inspection;
  inspection.at_thread = [page](const ThreadCapture&, model::MemoryReader& memory) {
    memory.read<std::uint64_t>(RemoteAddress{page});
  };
  for (const StopMode mode : {StopMode::automatic, StopMode::never}) {
    const auto result = inspect(target.pid(), mode, std::chrono::seconds(40), inspection);
    ASSERT_TRUE(result) << problems_of(result);
    EXPECT_EQ(problems_of(result), "");
    ASSERT_EQ(result->threads.size(), 4U);
    for (const ThreadCapture& thread : result->threads) {
      EXPECT_EQ(thread.method, CaptureMethod::looked);
      EXPECT_FALSE(thread.memory.empty());
    }
  }
}

TEST(WindowOfAThread, ReplaysWhatTheInspectorRead) {
  Sleepers sleepers;
  Inspection inspection;
  inspection.at_thread = [](const ThreadCapture& thread, model::MemoryReader& memory) {
    // The word at the stack pointer, and the page of its caller's code.
    memory.read<std::uint64_t>(RemoteAddress{*thread.registers.get(model::Register::rsp)});
    memory.read<std::uint64_t>(RemoteAddress{*thread.registers.get(model::Register::rip)});
  };
  for (const StopMode mode : kModes) {
    const auto result = inspect(sleepers.target.pid(), mode, std::chrono::seconds(10), inspection);
    ASSERT_TRUE(result) << problems_of(result);
    for (const ThreadCapture& thread : result->threads) {
      auto replay = model::SegmentReader::of_thread(*result, thread);
      EXPECT_TRUE(replay.read<std::uint64_t>(RemoteAddress{*thread.registers.get(model::Register::rsp)}));
      EXPECT_TRUE(replay.read<std::uint64_t>(RemoteAddress{*thread.registers.get(model::Register::rip)}));
      EXPECT_GE(thread.memory.size(), 2U);
    }
  }
}

TEST(HostileParent, WithIgnoredAndBlockedSigchldChangesNothing) {
  Sleepers sleepers;
  const int status = in_child([&] {
    ::signal(SIGCHLD, SIG_IGN);
    sigset_t blocked;
    ::sigfillset(&blocked);
    ::sigprocmask(SIG_SETMASK, &blocked, nullptr);
    for (const StopMode mode : kModes) {
      const auto result = sample_one(sleepers.target.pid(), mode);
      if (!result || result->threads.size() != 4 || !problems_of(result).empty()) return 1;
    }
    struct sigaction now{};
    ::sigaction(SIGCHLD, nullptr, &now);
    return now.sa_handler == SIG_IGN ? 0 : 2;
  });
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace hangstack::tests
