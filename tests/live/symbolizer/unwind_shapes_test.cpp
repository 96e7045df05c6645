#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "model/segment_reader.h"
#include "symbolizer/symbolizer.h"
#include "symbolizer/unwind/stack_inspector.h"
#include "symbolizer/unwind/unwinder.h"
#include "tests/live/symbolizer/ptrace_capture.h"
#include "tests/support/program.h"

namespace hangstack::symbolizer {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

const std::vector<std::string> kAllShapes{"chain",      "virtual",   "stale",    "alloca",   "arguments",
                                          "tail",       "qsort",     "function", "noreturn", "bare",
                                          "bare_frame", "recursion", "altstack", "signal",   "vfork"};

std::string target(const std::string& name) { return std::string(HANGSTACK_TARGETS "/target_") + name; }

std::vector<std::string> words(const std::string& name, std::vector<std::string> shapes) {
  shapes.insert(shapes.begin(), target(name));
  return shapes;
}

UnwoundStack unwind(Unwinder& unwinder, const model::ProcessCapture& process, const model::ThreadCapture& thread,
                    ModuleCache& cache) {
  auto process_memory = model::SegmentReader::of_process(process);
  ProcessModules modules(process, cache, process_memory);
  auto memory = model::SegmentReader::of_thread(process, thread);
  return unwinder.unwind(thread, modules, memory);
}

std::vector<std::uint64_t> addresses(const UnwoundStack& stack) {
  std::vector<std::uint64_t> list;
  for (const UnwoundFrame& frame : stack.frames) list.push_back(frame.pc);
  return list;
}

/// Functions of a thread, innermost first, of the target's own shapes: without what the C library adds.
std::vector<std::string> functions(const model::Thread& thread) {
  std::vector<std::string> list;
  for (const model::Frame& frame : thread.frames) {
    if (frame.kind != model::FrameKind::inlined) list.push_back(frame.function);
  }
  return list;
}

const model::Thread& thread_named(const model::ProcessSnapshot& snapshot, const std::string& name) {
  return *std::ranges::find(snapshot.threads, name, &model::Thread::name);
}

struct Shapes {
  explicit Shapes(const std::string& program, const std::vector<std::string>& shapes = kAllShapes)
      : process(words(program, shapes)) {
    EXPECT_EQ(process.read_line(), "ready");
    for (const std::string& shape : shapes) {
      if (shape == "vfork") {
        EXPECT_TRUE(wait_for_vfork());
      }
    }
    const auto inspector = make_stack_inspector();
    capture = tests::ptrace_capture(process.pid(), std::size_t{64} << 20, inspector.get());
  }
  bool wait_for_vfork() const {
    const std::string folder = "/proc/" + std::to_string(process.pid()) + "/task";
    for (const auto& task : std::filesystem::directory_iterator(folder)) {
      std::ifstream comm(task.path() / "comm");
      std::string name;
      if (std::getline(comm, name) && name == "vfork")
        return tests::wait_for_state(process.pid(), std::stoi(task.path().filename()), "D");
    }
    return false;
  }
  tests::Target process;
  model::ProcessCapture capture;
};

class EveryBuild : public ::testing::TestWithParam<const char*> {};

TEST_P(EveryBuild, BothUnwindersAgreeOnAllRegisters) {
  const Shapes shapes(GetParam());
  ModuleCache cache;
  const auto rows = make_row_unwinder();
  const auto other = make_libunwind_unwinder();
  for (const model::ThreadCapture& thread : shapes.capture.threads) {
    const UnwoundStack a = unwind(*rows, shapes.capture, thread, cache);
    const UnwoundStack b = unwind(*other, shapes.capture, thread, cache);
    SCOPED_TRACE(thread.name + ": " + a.end + " / " + b.end);
    if (thread.name == "bare" || thread.name == "bare_frame") continue;
    if (thread.method != model::CaptureMethod::stopped) continue;
    EXPECT_TRUE(a.complete);
    EXPECT_EQ(addresses(a), addresses(b));
  }
}

TEST_P(EveryBuild, ALookFindsTheSameAddressesOrSaysWhatIsMissing) {
  const Shapes shapes(GetParam());
  const model::ProcessCapture looked = tests::as_looked(shapes.capture);
  ModuleCache cache;
  const auto rows = make_unwinder();
  std::size_t complete = 0;
  for (std::size_t i = 0; i < looked.threads.size(); ++i) {
    const UnwoundStack full = unwind(*rows, shapes.capture, shapes.capture.threads[i], cache);
    const UnwoundStack less = unwind(*rows, looked, looked.threads[i], cache);
    SCOPED_TRACE(looked.threads[i].name + ": " + less.end);
    ASSERT_LE(less.frames.size(), full.frames.size());
    for (std::size_t j = 0; j < less.frames.size(); ++j) EXPECT_EQ(less.frames[j].pc, full.frames[j].pc) << j;
    if (less.complete) {
      EXPECT_EQ(less.frames.size(), full.frames.size());
      ++complete;
    } else if (full.complete) {
      EXPECT_EQ(less.need, model::StackNeed::registers);
    }
    std::printf("%-10s %s %zu of %zu, %s\n", looked.threads[i].name.c_str(), less.complete ? "complete" : "ended",
                less.frames.size(), full.frames.size(), less.end.c_str());
  }
  std::printf("%zu of %zu stacks complete without a stop\n", complete, looked.threads.size());
}

TEST(Unwind, NamesAreThoseOfTheCalls) {
  const Shapes shapes("unwind_shapes");
  Symbolizer symbolizer;
  const model::ProcessSnapshot snapshot = symbolizer.symbolize(shapes.capture);
  const auto of = [&](const char* name) { return functions(thread_named(snapshot, name)); };
  const std::string ns = "(anonymous namespace)::";
  EXPECT_THAT(of("virtual"), Contains(ns + "Square::visit(int)"));
  EXPECT_THAT(of("qsort"), Contains(ns + "compare(void const*, void const*)"));
  EXPECT_THAT(of("qsort"), Contains("qsort_r"));
  EXPECT_THAT(of("noreturn"), ::testing::IsSupersetOf({ns + "never_returns()", ns + "noreturn_caller(int)"}));
  EXPECT_EQ(std::ranges::count(of("recursion"), ns + "recurse(int)"), 10'001);
  EXPECT_THAT(of("altstack"), ::testing::IsSupersetOf({ns + "handler(int)", std::string("<signal handler called>"),
                                                       ns + "interrupted()", std::string("clone3")}));
  EXPECT_THAT(of("vfork"), ::testing::IsSupersetOf({std::string("vfork"), ns + "vfork_parent()"}));
  EXPECT_THAT(of("bare_frame"), ::testing::IsSupersetOf({std::string("bare_function_with_frame"),
                                                         ns + "calls_bare_with_frame()", std::string("clone3")}));
  EXPECT_THAT(of("bare"), ::testing::Contains("bare_function"));
  EXPECT_THAT(thread_named(snapshot, "bare").end, HasSubstr("no call frame information at target_unwind_shapes+0x"));
  EXPECT_EQ(thread_named(snapshot, "qsort").syscall_name, "read");
}

model::ProcessCapture without_files(model::ProcessCapture capture) {
  for (model::MappedFile& file : capture.files) file.open_paths.clear();
  return capture;
}

TEST_P(EveryBuild, FactsReplayWhereTheFilesAreNot) {
  const Shapes shapes(GetParam());
  for (const model::ProcessCapture& capture : {shapes.capture, tests::as_looked(shapes.capture)}) {
    Symbolizer here;
    const model::ProcessSnapshot expected = here.symbolize(capture);
    const std::string facts = here.facts_json();
    Symbolizer elsewhere;
    const auto loaded = elsewhere.load_facts(facts);
    ASSERT_TRUE(loaded) << loaded.error().message;
    const model::ProcessSnapshot replayed = elsewhere.symbolize(without_files(capture));
    ASSERT_EQ(replayed.threads.size(), expected.threads.size());
    for (std::size_t i = 0; i < expected.threads.size(); ++i) {
      EXPECT_EQ(replayed.threads[i].end, expected.threads[i].end);
      EXPECT_EQ(replayed.threads[i].frames, expected.threads[i].frames) << expected.threads[i].name;
    }
    EXPECT_EQ(replayed, expected);
    EXPECT_EQ(elsewhere.facts_json(), facts);
    Symbolizer nothing;
    EXPECT_NE(nothing.symbolize(without_files(capture)), expected);
  }
}

TEST(Unwind, TheClocksPageOfTheKernelIsNamed) {
  const Shapes shapes("unwind_shapes", {"vdso"});
  for (int attempt = 0; attempt < 200; ++attempt) {
    const auto inspector = make_stack_inspector();
    const auto capture = tests::ptrace_capture(shapes.process.pid(), std::size_t{1} << 20, inspector.get());
    Symbolizer symbolizer;
    const model::ProcessSnapshot snapshot = symbolizer.symbolize(capture);
    const model::Thread& thread = thread_named(snapshot, "vdso");
    if (thread.frames.empty() || thread.frames.front().module != "[vdso]") continue;
    EXPECT_THAT(functions(thread),
                ::testing::IsSupersetOf({std::string("(anonymous namespace)::read_clock()"), std::string("clone3")}));
    EXPECT_TRUE(thread.complete);
    EXPECT_FALSE(thread.frames.front().function.empty());
    return;
  }
  FAIL() << "the thread was never found in the vDSO";
}

TEST(Unwind, ADeletedLibraryIsReadByItsMapping) {
  const std::string copy = ::testing::TempDir() + "hangstack_deleted_" + std::to_string(getpid()) + ".so";
  tests::Target process({target("deleted_library"), HANGSTACK_TARGETS "/libtarget_call_back.so", copy});
  ASSERT_EQ(process.read_line(), "ready");
  const auto capture = tests::ptrace_capture(process.pid());
  Symbolizer symbolizer;
  const model::ProcessSnapshot snapshot = symbolizer.symbolize(capture);
  EXPECT_TRUE(snapshot.threads.at(0).complete) << snapshot.threads.at(0).end;
  EXPECT_THAT(functions(snapshot.threads.at(0)), Contains("library_call_back"));
}

TEST(Unwind, AVeryDeepStackIsCutInTheMiddle) {
  const Shapes shapes("unwind_shapes", {"deep"});
  Symbolizer symbolizer({.lines = false});
  const model::ProcessSnapshot snapshot = symbolizer.symbolize(shapes.capture);
  const model::Thread& thread = thread_named(snapshot, "deep");
  EXPECT_TRUE(thread.complete);
  EXPECT_EQ(thread.frames.size(), kMaxInnermostFrames + kMaxOutermostFrames + 1);
  EXPECT_THAT(thread.frames.at(kMaxInnermostFrames).function, HasSubstr("frames omitted>"));
  EXPECT_EQ(thread.frames.back().function, "clone3");
}

INSTANTIATE_TEST_SUITE_P(Unwind, EveryBuild,
                         ::testing::Values("unwind_shapes", "unwind_frame_pointers", "unwind_stripped"));

}  // namespace
}  // namespace hangstack::symbolizer
