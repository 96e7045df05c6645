#pragma once
// Which bytes of a capture were asked for.

#include <span>
#include <vector>

#include "model/capture.h"

namespace hangstack::model {

/// Notes what SegmentReaders serve. What they never served of a capture, no report on it needs.
class ServedBytes {
 public:
  /// `piece` lies in a segment of a capture.
  void note(std::span<const std::byte> piece) { pieces_.push_back(piece); }

  /// Zeroes what was not served of `capture`, the very one that was read, not a copy. `around` bytes on both sides of
  /// what was served stay.
  void clear_rest(ProcessCapture& capture, std::size_t around = 0);

 private:
  std::vector<std::span<const std::byte>> pieces_;
};

}  // namespace hangstack::model
