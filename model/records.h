#pragma once
// The rank's own books: what a process wrote down about its communication, read from its memory.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hangstack::model {

enum class RecordStatus : std::uint8_t { ok, absent, refused, timed_out, failed };
std::string_view record_status_name(RecordStatus status);  ///< "ok", "absent", "refused", "timeout", "failed"
std::optional<RecordStatus> record_status_named(std::string_view name);

struct RecordedTensor {
  std::vector<std::int64_t> sizes;
  std::string dtype;  ///< as PyTorch's dumps name it: "Float", "BFloat16"

  friend bool operator==(const RecordedTensor&, const RecordedTensor&) = default;
};

/// A Python frame of the call that an operation comes from.
struct RecordedFrame {
  std::string function;  ///< qualified name from Python 3.11 on, else the plain name
  std::string file;
  int line = 0;  ///< 0: unknown

  friend bool operator==(const RecordedFrame&, const RecordedFrame&) = default;
};

/// One entry of PyTorch's flight recorder. A sequence number is the group's own: equal numbers of two ranks are the
/// same operation, or should be.
struct RecordedOperation {
  std::uint64_t id = 0;        ///< ascending by one in the order of recording
  std::uint64_t group_id = 0;  ///< the process's own number of the group
  std::string group;           ///< name, equal on all members
  std::string group_description;
  std::uint64_t sequence = 0;  ///< of the group's collectives
  std::uint64_t point_to_point_sequence = 0;
  std::uint64_t operation_id = 0;
  std::string backend;  ///< "gloo", "nccl", "nccl2"
  std::string name;     ///< "all_reduce"
  bool point_to_point = false;
  /// "coalesced", and what it closes are sends and receives: the recorder counts it among the collectives all the same
  /// (torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp, 2.15: endCoalescing).
  bool closes_transfers = false;
  std::vector<RecordedTensor> inputs;
  std::vector<RecordedTensor> outputs;
  std::int64_t created_unix_ns = 0;
  std::int64_t timeout_ms = 0;
  std::optional<std::int64_t> started_unix_ns;    ///< when the process noticed
  std::optional<std::int64_t> completed_unix_ns;  ///< likewise
  bool retired = false;  ///< nobody waits for it any more: completed, or given up after its timeout
  /// The call it comes from, innermost first. Empty if no Python called, or what called is not in memory any more.
  std::vector<RecordedFrame> frames;

  /// Sets backend and name from what PyTorch writes down: "nccl:send 0->1".
  void set_profiling_name(std::string_view text);
  [[nodiscard]] bool carries_transfers() const { return point_to_point || closes_transfers; }
  [[nodiscard]] bool finished() const { return retired || completed_unix_ns.has_value(); }
  /// The user's innermost frame; else that of a package other than torch; null if there is neither.
  [[nodiscard]] const RecordedFrame* call_site() const;
  friend bool operator==(const RecordedOperation&, const RecordedOperation&) = default;
};

struct RecordedGroup {
  std::string name;
  std::string description;
  std::vector<std::uint64_t> ranks;

  friend bool operator==(const RecordedGroup&, const RecordedGroup&) = default;
};

/// PyTorch's own account of one group; -1 where nothing came so far.
struct RecordedGroupStatus {
  std::uint64_t group_id = 0;
  std::int64_t last_enqueued = -1;
  std::int64_t last_started = -1;
  std::int64_t last_completed = -1;
  std::string group = {};  ///< name; empty: not known

  friend bool operator==(const RecordedGroupStatus&, const RecordedGroupStatus&) = default;
};

/// The place of a recorder that was put together from what PyTorch's watchdog wrote to the log.
inline constexpr std::string_view kPlaceOfLog = "log";

/// One of the process's flight recorders: gloo, classic NCCL and nccl2 have one each.
struct FlightRecorder {
  RecordStatus status = RecordStatus::absent;
  std::string reason;          ///< why it is not ok
  std::string place;           ///< file and structure it was found in: "libtorch_cpu.so FlightRecorder<c10::Event>"
  std::uint64_t recorded = 0;  ///< operations since the process began, or since its last reset
  bool forgot = false;  ///< the ring is too short for all of them, or was reset: one that is not here may have been
  std::vector<RecordedOperation> operations;  ///< those of them that are worth telling, oldest first
  std::vector<RecordedGroup> groups;
  std::vector<RecordedGroupStatus> group_status;

  /// Null if it does not list such a group.
  [[nodiscard]] const RecordedGroup* group_named(std::string_view name) const;
  /// The group of all ranks, with its members; null if it does not list them.
  [[nodiscard]] const RecordedGroup* default_group() const;
  friend bool operator==(const FlightRecorder&, const FlightRecorder&) = default;
};

/// Sets closes_transfers. `operations` is the whole ring, oldest first: what an entry closes stands right before it.
void mark_batches(std::vector<RecordedOperation>& operations);

/// The operations that have not ended, by index, ascending. The recorder never marks the parts of a coalesced batch: on
/// a device, where a group's collectives end in order, one that a later one of its group has overtaken has ended too.
/// So have sends and receives of a batch that has ended, or that a later batch has overtaken. gloo's collectives may
/// end in any order, and so may sends and receives outside batches.
std::vector<std::size_t> unfinished(const std::vector<RecordedOperation>& operations);

/// Which operations say where a process stands, by index, ascending: of each group the first unfinished and the last
/// one, of collectives and of point-to-point operations; then other unfinished ones, collectives first, until they are
/// 128.
std::vector<std::size_t> worth_telling(const std::vector<RecordedOperation>& operations);

}  // namespace hangstack::model
