// Reads along with the sampler what symbolizer/locks needs, so that it is in the capture.

#include "symbolizer/inspector.h"

#include "symbolizer/locks/mutex_owner.h"

namespace hangstack::symbolizer {
namespace {

class LockInspector : public model::Inspector {
 public:
  void prepare(const model::ProcessCapture& /*process*/, model::MemoryReader& /*memory*/) override {}
  void read_thread(const model::ThreadCapture& /*thread*/, model::MemoryReader& /*memory*/) override {}
  void finish(const model::ProcessCapture& process, model::MemoryReader& memory) override {
    for (const auto& thread : process.threads) lock_holder_of(thread, process, memory);
  }
};

}  // namespace

std::unique_ptr<model::Inspector> make_lock_inspector() { return std::make_unique<LockInspector>(); }

}  // namespace hangstack::symbolizer
