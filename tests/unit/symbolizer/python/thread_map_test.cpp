#include "symbolizer/python/thread_map.h"

#include <gtest/gtest.h>

#include "tests/support/memory_image.h"

namespace hangstack::symbolizer {
namespace {

using tests::MemoryImage;

constexpr std::size_t kTidInGlibc = 720;
constexpr std::uint64_t kFirst = 0x7f0000001000;
constexpr std::uint64_t kSecond = 0x7f0000009000;

void put_pthread(MemoryImage& memory, std::uint64_t self, std::int32_t tid) {
  memory.reserve(self, 2304);
  memory.put<std::uint64_t>(self, self);
  memory.put<std::int32_t>(self + kTidInGlibc, tid);
}

model::ProcessCapture process_with(const std::vector<std::pair<std::int32_t, std::int32_t>>& tids) {
  model::ProcessCapture capture;
  for (const auto& [tid, ns_tid] : tids) {
    model::ThreadCapture thread;
    thread.tid = tid;
    thread.ns_tid = ns_tid;
    capture.threads.push_back(thread);
  }
  return capture;
}

Runtime runtime_with(std::vector<ThreadState> states) {
  Runtime runtime;
  runtime.interpreters.push_back({0x100, 0, 0, std::move(states)});
  return runtime;
}

std::uint64_t state_of(const ThreadMap& map, const model::ProcessCapture& process, std::size_t index) {
  const auto states = map.states_of(process.threads[index]);
  return states.size() == 1 ? states[0].state.address : 0;
}

TEST(ThreadMap, TidsOfThePidNamespaceAreTranslated) {
  MemoryImage memory;
  put_pthread(memory, kFirst, 7);
  put_pthread(memory, kSecond, 9);
  const auto process = process_with({{5007, 7}, {5009, 9}});
  const std::vector<Runtime> runtimes{runtime_with({{0x10, kFirst, 7}, {0x20, kSecond, 9}})};
  const ThreadMap map(process, runtimes, memory);
  EXPECT_EQ(state_of(map, process, 0), 0x10U);
  EXPECT_EQ(state_of(map, process, 1), 0x20U);
  EXPECT_EQ(map.tid_of(0x20), 5009);
  EXPECT_EQ(map.tid_of(0x30), 0);
}

TEST(ThreadMap, AStaleNoteAfterAForkLosesAgainstTheCLibrary) {
  MemoryImage memory;
  put_pthread(memory, kFirst, 300);
  put_pthread(memory, kSecond, 0);  // a thread that the fork did not copy
  const auto process = process_with({{300, 300}});
  const std::vector<Runtime> runtimes{runtime_with({{0x10, kFirst, 200}, {0x20, kSecond, 201}})};
  const ThreadMap map(process, runtimes, memory);
  EXPECT_EQ(state_of(map, process, 0), 0x10U);
  EXPECT_EQ(map.tid_of(0x20), 0);
}

TEST(ThreadMap, PythonsNoteServesWhereTheStructsCannotBeRead) {
  MemoryImage memory;
  const auto process = process_with({{7, 7}, {9, 9}});
  const std::vector<Runtime> runtimes{runtime_with({{0x10, kFirst, 9}, {0x20, kSecond, 7}})};
  const ThreadMap map(process, runtimes, memory);
  EXPECT_EQ(state_of(map, process, 0), 0x20U);
}

TEST(ThreadMap, TheThreadPointerOutranksEverything) {
  MemoryImage memory;
  put_pthread(memory, kFirst, 7);
  put_pthread(memory, kSecond, 9);
  auto process = process_with({{7, 7}, {9, 9}});
  process.threads[0].fs_base = kSecond;
  const std::vector<Runtime> runtimes{runtime_with({{0x10, kFirst, 0}, {0x20, kSecond, 0}})};
  const ThreadMap map(process, runtimes, memory);
  EXPECT_EQ(state_of(map, process, 0), 0x20U);
}

TEST(ThreadMap, TheStackAndItsStructLieInOneMapping) {
  MemoryImage memory;
  auto process = process_with({{7, 7}, {9, 9}});
  model::Mapping stack;
  stack.start = kSecond - 0x8000;
  stack.end = kSecond + 0x1000;
  process.mappings = {stack};
  process.threads[1].registers.set(model::Register::rsp, kSecond - 0x2000);
  const std::vector<Runtime> runtimes{runtime_with({{0x10, kFirst - 0x100000, 0}, {0x20, kSecond, 0}})};
  const ThreadMap map(process, runtimes, memory);
  EXPECT_TRUE(map.states_of(process.threads[0]).empty());
  EXPECT_EQ(state_of(map, process, 1), 0x20U);
}

TEST(ThreadMap, OneOffsetMustFitAllThreads) {
  MemoryImage memory;
  put_pthread(memory, kFirst, 7);
  put_pthread(memory, kSecond, 9);
  // Something else holds a tid as well, the same in both.
  memory.put<std::int32_t>(kFirst + 100, 9);
  memory.put<std::int32_t>(kSecond + 100, 9);
  const auto process = process_with({{7, 7}, {9, 9}});
  const std::vector<Runtime> runtimes{runtime_with({{0x10, kFirst, 0}, {0x20, kSecond, 0}})};
  const ThreadMap map(process, runtimes, memory);
  EXPECT_EQ(state_of(map, process, 0), 0x10U);
  EXPECT_EQ(state_of(map, process, 1), 0x20U);
}

TEST(ThreadMap, AThreadInASubinterpreterHasTwoStates) {
  MemoryImage memory;
  put_pthread(memory, kFirst, 7);
  const auto process = process_with({{7, 7}});
  Runtime runtime = runtime_with({{0x10, kFirst, 7}});
  runtime.interpreters.push_back({0x200, 1, 0, {{0x50, kFirst, 7}}});
  const std::vector<Runtime> runtimes{runtime};
  const ThreadMap map(process, runtimes, memory);
  const auto states = map.states_of(process.threads[0]);
  ASSERT_EQ(states.size(), 2U);
  EXPECT_EQ(states[0].interpreter->id, 0);
  EXPECT_EQ(states[1].interpreter->id, 1);
}

}  // namespace
}  // namespace hangstack::symbolizer
