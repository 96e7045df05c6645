#include "model/segment_reader.h"

#include <algorithm>
#include <array>
#include <limits>

namespace hangstack::model {

SegmentReader::SegmentReader(std::span<const std::span<const MemorySegment>> layers, ServedBytes* served)
    : served_(served) {
  for (const auto& layer : layers) layers_.push_back(resolve(layer));
}

SegmentReader SegmentReader::of_thread(const ProcessCapture& process, const ThreadCapture& thread,
                                       ServedBytes* served) {
  const std::array<std::span<const MemorySegment>, 2> layers{thread.memory, process.memory};
  return SegmentReader(layers, served);
}

SegmentReader SegmentReader::of_process(const ProcessCapture& process, ServedBytes* served) {
  const std::array<std::span<const MemorySegment>, 1> layers{process.memory};
  return SegmentReader(layers, served);
}

SegmentReader::Runs SegmentReader::resolve(std::span<const MemorySegment> segments) {
  Runs runs;
  for (const MemorySegment& segment : segments) {
    const std::uint64_t start = segment.address.value;
    const std::uint64_t room = std::numeric_limits<std::uint64_t>::max() - start;
    const std::span<const std::byte> bytes =
        std::span(segment.bytes).first(std::min<std::uint64_t>(segment.bytes.size(), room));
    if (bytes.empty()) continue;
    const std::uint64_t end = start + bytes.size();
    // Cut what the new segment covers out of older ones.
    auto it = runs.upper_bound(start);
    if (it != runs.begin()) --it;
    while (it != runs.end() && it->first < end) {
      const std::uint64_t old_start = it->first;
      const auto old_bytes = it->second;
      const std::uint64_t old_end = old_start + old_bytes.size();
      if (old_end <= start) {
        ++it;
        continue;
      }
      it = runs.erase(it);
      if (old_start < start) runs.emplace(old_start, old_bytes.first(start - old_start));
      if (old_end > end) runs.emplace(end, old_bytes.subspan(end - old_start));
    }
    runs.emplace(start, bytes);
  }
  return runs;
}

void SegmentReader::read_batch(std::span<ReadRequest> requests) {
  for (ReadRequest& request : requests) {
    request.got = 0;
    bool found = true;
    while (found && request.got < request.into.size()) {
      const std::uint64_t at = request.address.value + request.got;
      std::uint64_t limit = request.into.size() - request.got;
      found = false;
      for (const Runs& runs : layers_) {
        auto it = runs.upper_bound(at);
        // A later layer fills the gap up to the next run of an earlier one, no further.
        const std::uint64_t gap = it == runs.end() ? limit : std::min(limit, it->first - at);
        const bool covered = it != runs.begin() && at - std::prev(it)->first < std::prev(it)->second.size();
        if (!covered) {
          limit = gap;
          continue;
        }
        --it;
        const auto piece = it->second.subspan(at - it->first);
        const std::size_t count = std::min<std::uint64_t>(piece.size(), limit);
        if (served_ != nullptr) served_->note(piece.first(count));
        std::ranges::copy(piece.first(count), request.into.begin() + static_cast<std::ptrdiff_t>(request.got));
        request.got += count;
        found = true;
        break;
      }
    }
  }
}

}  // namespace hangstack::model
