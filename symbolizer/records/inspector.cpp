// Reads along with the sampler what symbolizer/records needs, so that it is in the capture.

#include "symbolizer/inspector.h"

#include <memory>
#include <vector>

#include "symbolizer/records/communicators.h"
#include "symbolizer/records/recorders.h"

namespace hangstack::symbolizer {
namespace {

class RecordsInspector : public model::Inspector {
 public:
  explicit RecordsInspector(ModuleCache& cache) : cache_(cache) {}

  void prepare(const model::ProcessCapture& process, model::MemoryReader& memory) override {
    ProcessModules modules(process, cache_, memory);
    nccl_ = find_nccl_places(modules);
    places_ = find_recorder_places(modules);
    if (!places_.empty()) runtimes_ = find_runtimes(process, modules, memory).runtimes;
  }
  void read_thread(const model::ThreadCapture& /*thread*/, model::MemoryReader& /*memory*/) override {}
  void finish(const model::ProcessCapture& /*process*/, model::MemoryReader& memory) override {
    read_recorders(places_, runtimes_, memory);
    read_communicators(nccl_, memory);
  }

 private:
  ModuleCache& cache_;
  std::vector<NcclPlace> nccl_;
  std::vector<RecorderPlace> places_;
  std::vector<Runtime> runtimes_;
};

}  // namespace

std::unique_ptr<model::Inspector> make_records_inspector(ModuleCache& cache) {
  return std::make_unique<RecordsInspector>(cache);
}

}  // namespace hangstack::symbolizer
