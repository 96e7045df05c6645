#pragma once
// The frames of one stack, with the middle of a very deep one left out.

#include <cstddef>
#include <deque>

#include "symbolizer/unwind/unwinder.h"

namespace hangstack::symbolizer {

class FrameList {
 public:
  void add(const UnwoundFrame& frame) {
    if (inner_.size() < kMaxInnermostFrames) {
      inner_.push_back(frame);
      return;
    }
    outer_.push_back(frame);
    if (outer_.size() > kMaxOutermostFrames) {
      outer_.pop_front();
      ++omitted_;
    }
  }
  /// All that were added, the omitted ones too.
  [[nodiscard]] std::size_t size() const { return inner_.size() + outer_.size() + omitted_; }

  /// Frames and what was omitted; the list is spent.
  UnwoundStack take() {
    UnwoundStack stack;
    stack.frames = std::move(inner_);
    stack.omitted = omitted_;
    stack.omitted_before = omitted_ == 0 ? 0 : stack.frames.size();
    stack.frames.insert(stack.frames.end(), outer_.begin(), outer_.end());
    return stack;
  }

 private:
  std::vector<UnwoundFrame> inner_;
  std::deque<UnwoundFrame> outer_;
  std::size_t omitted_ = 0;
};

}  // namespace hangstack::symbolizer
