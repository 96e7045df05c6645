#include "symbolizer/unwind/unwinder.h"

#include <algorithm>

namespace hangstack::symbolizer {

namespace {

bool same_place(const UnwoundFrame& a, const UnwoundFrame& b) { return a.pc == b.pc && a.sp == b.sp; }

/// The second stack goes further and says the same up to where the first ended.
bool extends(const UnwoundStack& longer, const UnwoundStack& shorter) {
  return longer.omitted == 0 && shorter.omitted == 0 && longer.frames.size() > shorter.frames.size() &&
         std::equal(shorter.frames.begin(), shorter.frames.end(), longer.frames.begin(), same_place);
}

class BothUnwinders : public Unwinder {
 public:
  UnwoundStack unwind(const model::ThreadCapture& thread, ProcessModules& modules,
                      model::MemoryReader& memory) override {
    UnwoundStack stack = first_->unwind(thread, modules, memory);
    // What is not in the capture cannot be had by asking again.
    if (stack.complete || stack.need != model::StackNeed::nothing) return stack;
    UnwoundStack other = second_->unwind(thread, modules, memory);
    return extends(other, stack) ? other : stack;
  }

 private:
  std::unique_ptr<Unwinder> first_ = make_row_unwinder();
  std::unique_ptr<Unwinder> second_ = make_libunwind_unwinder();
};

}  // namespace

std::unique_ptr<Unwinder> make_unwinder() { return std::make_unique<BothUnwinders>(); }

}  // namespace hangstack::symbolizer
