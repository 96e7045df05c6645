#include "symbolizer/python/python.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <limits>
#include <memory>

#include "model/segment_reader.h"
#include "symbolizer/python/code_object.h"
#include "symbolizer/python/frame_walk.h"
#include "symbolizer/python/gil.h"
#include "symbolizer/python/layered_reader.h"
#include "symbolizer/python/runtime.h"
#include "symbolizer/python/thread_map.h"
#include "symbolizer/python/thread_name.h"

namespace hangstack::symbolizer {
namespace {

using model::SegmentReader;

/// Reads the threads of one capture.
class PythonReader {
 public:
  PythonReader(const model::ProcessCapture& capture, ProcessModules& modules, model::ServedBytes* served)
      : capture_(capture),
        served_(served),
        memory_(SegmentReader::of_process(capture, served)),
        search_(find_runtimes(capture, modules, memory_)),
        threads_(capture, search_.runtimes, memory_) {
    for (const Runtime& runtime : search_.runtimes) {
      codes_.emplace(&runtime, std::make_unique<CodeReader>(runtime.layout, memory_));
    }
  }

  PythonProcess run() {
    PythonProcess python;
    python.problems = std::move(search_.problems);
    for (const model::ThreadCapture& thread : capture_.threads) {
      const auto states = threads_.states_of(thread);
      if (!states.empty()) python.threads.emplace(thread.tid, read_thread(thread, states));
    }
    for (const Runtime& runtime : search_.runtimes) {
      if (runtime.eval_frame != 0) python.eval_functions.push_back(runtime.eval_frame);
      settle_holders(runtime, python);
      add_interpreters(runtime, python);
      note_state(runtime, python);
      judge_layout(runtime, python);
    }
    return python;
  }

 private:
  PythonThread read_thread(const model::ThreadCapture& thread, const std::vector<ThreadStateRef>& states) {
    const std::array<std::span<const model::MemorySegment>, 1> own_layer{thread.memory};
    SegmentReader own(own_layer, served_);
    LayeredReader memory(own, memory_);
    PythonThread result;
    for (const ThreadStateRef& ref : states) {
      const Runtime& runtime = *ref.runtime;
      result.one_call_per_frame = runtime.layout.minor <= 10;
      const FrameWalk walk = walk_frames(runtime.layout, memory, model::RemoteAddress{ref.state.address});
      for (const RawGroup& raw : walk.groups) {
        PythonGroup group;
        group.anchor = raw.anchor;
        for (const RawFrame& frame : raw.frames) group.frames.push_back(codes_.at(&runtime)->resolve(frame));
        result.groups.push_back(std::move(group));
      }
      if (result.broken.empty()) result.broken = walk.broken;
      if (result.name.empty()) result.name = thread_name(memory, runtime.layout, *codes_.at(&runtime), walk);
      read_gil(thread, ref, memory, result);
    }
    order_by_stack(result.groups);
    return result;
  }

  void read_gil(const model::ThreadCapture& thread, const ThreadStateRef& ref, model::MemoryReader& memory,
                PythonThread& result) {
    const std::uint64_t holder = gil_holder(memory, *ref.runtime, *ref.interpreter);
    if (holder == ref.state.address) {
      result.gil = model::GilState::holds;
      windows_[ref.interpreter].push_back(thread.tid);
    } else if (result.gil == model::GilState::none && (sleeps_on_gil(*ref.runtime, *ref.interpreter, thread) ||
                                                       requests_gil(memory, *ref.runtime, ref.state.address))) {
      result.gil = model::GilState::waits;
    }
  }

  /// The frames of several interpreters in one thread: the deeper on the stack, the further in.
  static void order_by_stack(std::vector<PythonGroup>& groups) {
    if (std::ranges::all_of(groups, [](const PythonGroup& g) { return g.anchor.has_value(); })) {
      std::ranges::stable_sort(groups, {}, [](const PythonGroup& g) { return *g.anchor; });
    }
  }

  /// What the whole interpreter does, at the frame of the thread that does it.
  void note_state(const Runtime& runtime, PythonProcess& python) {
    const bool finalizing = is_finalizing(memory_, runtime);
    for (const Interpreter& interpreter : runtime.interpreters) {
      const auto holder = holders_.find(&interpreter);
      if (holder == holders_.end()) continue;
      std::string note;
      if (collects_garbage(memory_, runtime, interpreter)) note = "garbage is being collected";
      if (finalizing) note = "the interpreter is shutting down";
      auto& groups = python.threads.at(holder->second).groups;
      const auto inner = std::ranges::find_if(groups, [](const PythonGroup& g) { return !g.frames.empty(); });
      if (!note.empty() && inner != groups.end() && inner->frames.front().note.empty()) {
        inner->frames.front().note = note;
      }
    }
  }

  /// Threads that run are read one after the other, so that two of them can have held the GIL, each in its window: the
  /// last reading decides, else the first of them.
  void settle_holders(const Runtime& runtime, PythonProcess& python) {
    for (const Interpreter& interpreter : runtime.interpreters) {
      const auto found = windows_.find(&interpreter);
      if (found == windows_.end()) continue;
      const std::vector<std::int32_t>& tids = found->second;
      const std::int32_t last = threads_.tid_of(gil_holder(memory_, runtime, interpreter));
      const std::int32_t holder = std::ranges::find(tids, last) != tids.end() ? last : tids.front();
      holders_[&interpreter] = holder;
      for (const std::int32_t tid : tids) {
        if (tid != holder) python.threads.at(tid).gil = model::GilState::none;
      }
    }
  }

  void add_interpreters(const Runtime& runtime, PythonProcess& python) {
    for (const Interpreter& interpreter : runtime.interpreters) {
      model::PythonInterpreter shown;
      shown.version = version_text(runtime.version);
      shown.module = runtime.module;
      shown.id = static_cast<int>(std::min<std::int64_t>(interpreter.id, std::numeric_limits<int>::max()));
      // A holder that runs may have been read while it was between two acquisitions: the last reading tells then.
      const auto in_window = holders_.find(&interpreter);
      shown.gil_holder_tid =
          in_window != holders_.end() ? in_window->second : threads_.tid_of(gil_holder(memory_, runtime, interpreter));
      python.interpreters.push_back(std::move(shown));
    }
  }

  /// Frames without code objects all over: these are not the structures of this version.
  void judge_layout(const Runtime& runtime, PythonProcess& python) {
    const CodeReader& codes = *codes_.at(&runtime);
    if (codes.good() != 0 || codes.bad() < 2) return;
    python.problems.push_back(
        {"file",
         runtime.module,
         {model::ErrorCode::unsupported_python,
          fmt::format("{}: the frames of Python {} have no code objects, so its structures are other ones",
                      runtime.module, version_text(runtime.version)),
          "A debug build or a changed interpreter; native frames are shown as usual"}});
    for (auto& [tid, thread] : python.threads) thread.groups.clear();
  }

  const model::ProcessCapture& capture_;
  model::ServedBytes* served_;
  SegmentReader memory_;
  RuntimeSearch search_;
  ThreadMap threads_;
  std::map<const Runtime*, std::unique_ptr<CodeReader>> codes_;
  std::map<const Interpreter*, std::vector<std::int32_t>> windows_;  ///< who held the GIL in its own window
  std::map<const Interpreter*, std::int32_t> holders_;
};

}  // namespace

PythonProcess read_python(const model::ProcessCapture& capture, ProcessModules& modules, model::ServedBytes* served) {
  return PythonReader(capture, modules, served).run();
}

}  // namespace hangstack::symbolizer
