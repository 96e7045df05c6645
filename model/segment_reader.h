#pragma once
// Reads recorded memory: a thread's own window first, then what was read for the whole process.

#include <map>
#include <span>
#include <vector>

#include "model/capture.h"
#include "model/memory_reader.h"
#include "model/served_bytes.h"

namespace hangstack::model {

/// Serves reads from recorded segments. Layers are tried in order for each byte run; segments of one layer that
/// overlap are served from the one recorded last. The segments are borrowed: they must outlive the reader; so is
/// `served`, if it is given, which is told of every byte.
class SegmentReader : public MemoryReader {
 public:
  explicit SegmentReader(std::span<const std::span<const MemorySegment>> layers, ServedBytes* served = nullptr);

  /// A thread's memory over its process's memory.
  static SegmentReader of_thread(const ProcessCapture& process, const ThreadCapture& thread,
                                 ServedBytes* served = nullptr);
  /// The process's memory alone.
  static SegmentReader of_process(const ProcessCapture& process, ServedBytes* served = nullptr);

  void read_batch(std::span<ReadRequest> requests) override;

 private:
  /// Disjoint runs by start address, after overlaps are resolved.
  using Runs = std::map<std::uint64_t, std::span<const std::byte>>;
  static Runs resolve(std::span<const MemorySegment> segments);
  std::vector<Runs> layers_;
  ServedBytes* served_;
};

}  // namespace hangstack::model
