// Reads along with the sampler what symbolizer/python needs, so that it is in the capture.

#include "symbolizer/inspector.h"

#include <map>
#include <memory>
#include <vector>

#include "symbolizer/native/module_cache.h"
#include "symbolizer/python/code_object.h"
#include "symbolizer/python/frame_walk.h"
#include "symbolizer/python/gil.h"
#include "symbolizer/python/runtime.h"
#include "symbolizer/python/thread_map.h"
#include "symbolizer/python/thread_name.h"

namespace hangstack::symbolizer {
namespace {

class PythonInspector : public model::Inspector {
 public:
  explicit PythonInspector(ModuleCache& cache) : cache_(cache) {}

  void prepare(const model::ProcessCapture& process, model::MemoryReader& memory) override {
    ProcessModules modules(process, cache_, memory);
    walks_.clear();
    search_ = find_runtimes(process, modules, memory);
    threads_ = std::make_unique<ThreadMap>(process, search_.runtimes, memory);
  }

  void read_thread(const model::ThreadCapture& thread, model::MemoryReader& memory) override {
    if (threads_ == nullptr) return;
    for (const ThreadStateRef& ref : threads_->states_of(thread)) {
      const model::RemoteAddress state{ref.state.address};
      walks_[ref.state.address] = {ref.runtime, walk_frames(ref.runtime->layout, memory, state)};
      gil_holder(memory, *ref.runtime, *ref.interpreter);
      requests_gil(memory, *ref.runtime, ref.state.address);
    }
  }

  void finish(const model::ProcessCapture& /*process*/, model::MemoryReader& memory) override {
    for (const Runtime& runtime : search_.runtimes) {
      CodeReader codes(runtime.layout, memory);
      for (const auto& [state, walk] : walks_) {
        if (walk.runtime != &runtime) continue;
        thread_name(memory, runtime.layout, codes, walk.frames);
        for (const RawGroup& group : walk.frames.groups) {
          for (const RawFrame& frame : group.frames) codes.resolve(frame);
        }
      }
      for (const Interpreter& interpreter : runtime.interpreters) {
        gil_holder(memory, runtime, interpreter);
        collects_garbage(memory, runtime, interpreter);
      }
      is_finalizing(memory, runtime);
    }
  }

 private:
  struct Walk {
    const Runtime* runtime = nullptr;
    FrameWalk frames;
  };

  ModuleCache& cache_;
  RuntimeSearch search_;
  std::unique_ptr<ThreadMap> threads_;
  std::map<std::uint64_t, Walk> walks_;  ///< by thread state; the last reading of each
};

}  // namespace

std::unique_ptr<model::Inspector> make_python_inspector(ModuleCache& cache) {
  return std::make_unique<PythonInspector>(cache);
}

}  // namespace hangstack::symbolizer
