#include "model/served_bytes.h"

#include <algorithm>
#include <cstring>
#include <functional>

namespace hangstack::model {
namespace {

using Piece = std::span<const std::byte>;

/// `pieces` ascend by their start.
void clear_between(std::vector<std::byte>& bytes, const std::vector<Piece>& pieces, std::size_t around) {
  const std::less<> before;  // orders pointers into different arrays too
  const auto clear = [&](std::size_t from, std::size_t to) {
    if (from < to) std::memset(bytes.data() + from, 0, to - from);
  };
  auto piece = std::ranges::lower_bound(pieces, bytes.data(), before, [](const Piece& p) { return p.data(); });
  std::size_t kept_to = 0;
  for (; piece != pieces.end() && before(piece->data(), bytes.data() + bytes.size()); ++piece) {
    const auto start = static_cast<std::size_t>(piece->data() - bytes.data());
    clear(kept_to, start - std::min(start, around));
    kept_to = std::max(kept_to, std::min(bytes.size(), start + piece->size() + around));
  }
  clear(kept_to, bytes.size());
}

}  // namespace

void ServedBytes::clear_rest(ProcessCapture& capture, std::size_t around) {
  std::ranges::sort(pieces_, std::less<>{}, [](const Piece& p) { return p.data(); });
  for (MemorySegment& segment : capture.memory) clear_between(segment.bytes, pieces_, around);
  for (ThreadCapture& thread : capture.threads) {
    for (MemorySegment& segment : thread.memory) clear_between(segment.bytes, pieces_, around);
  }
}

}  // namespace hangstack::model
