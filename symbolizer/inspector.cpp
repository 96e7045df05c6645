#include "symbolizer/inspector.h"

#include <utility>
#include <vector>

#include "symbolizer/unwind/stack_inspector.h"

namespace hangstack::symbolizer {

namespace {

/// Several readers along one visit, in order.
class InspectorList : public model::Inspector {
 public:
  void add(std::unique_ptr<model::Inspector> part) { parts_.push_back(std::move(part)); }

  void prepare(const model::ProcessCapture& process, model::MemoryReader& memory) override {
    for (const auto& part : parts_) part->prepare(process, memory);
  }
  void read_thread(const model::ThreadCapture& thread, model::MemoryReader& memory) override {
    for (const auto& part : parts_) part->read_thread(thread, memory);
  }
  void finish(const model::ProcessCapture& process, model::MemoryReader& memory) override {
    for (const auto& part : parts_) part->finish(process, memory);
  }

 private:
  std::vector<std::unique_ptr<model::Inspector>> parts_;
};

}  // namespace

std::unique_ptr<model::Inspector> make_inspector(const SymbolizerOptions& options, ModuleCache& cache) {
  auto list = std::make_unique<InspectorList>();
  if (options.native) {
    list->add(make_stack_inspector());
    list->add(make_lock_inspector());
  }
  if (options.python) list->add(make_python_inspector(cache));
  if (options.records) list->add(make_records_inspector(cache));
  return list;
}

}  // namespace hangstack::symbolizer
