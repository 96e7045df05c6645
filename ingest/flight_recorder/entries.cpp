#include "ingest/flight_recorder/entries.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "ingest/flight_recorder/fields.h"

namespace hangstack::ingest {
namespace {

using model::ErrorCode;
using model::Expected;
using model::failure;
using model::RecordedOperation;
using model::RecordedTensor;

constexpr std::size_t kMaxEntries = 100'000;  // PyTorch's default is 2000
constexpr std::size_t kMaxKeys = 64;          // of an entry, which has about 20
constexpr std::size_t kMaxFrames = 64;        // of an operation: the innermost are told, as by the reader of memory
constexpr std::size_t kMaxNameBytes = 64U << 20;
constexpr std::size_t kMaxSizes = 1U << 20;  // of all operations worth telling

/// The dictionaries of a dump may be shared and large: each is looked through once for every reference to it.
bool is_entry(const Value& value) { return value.kind() == ValueKind::dictionary && value.size() <= kMaxKeys; }

class EntryReader {
 public:
  explicit EntryReader(const Value& list) : list_(list) {}

  Expected<Entries> read() {
    if (list_.kind() != ValueKind::list || list_.size() > kMaxEntries)
      return failure(ErrorCode::malformed_input, fmt::format("its entries are no list of at most {}", kMaxEntries));
    Entries found;
    found.count = list_.size();
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < list_.size(); ++i) {
      auto operation = read_operation(list_.element(i));
      if (!operation)
        return failure(ErrorCode::malformed_input, fmt::format("entry {} {}", i, operation.error().message));
      found.recorded = std::max(found.recorded, operation->id + 1);
      found.latest_unix_ns =
          std::max({found.latest_unix_ns, operation->created_unix_ns, operation->started_unix_ns.value_or(0),
                    operation->completed_unix_ns.value_or(0)});
      found.operations.push_back(std::move(*operation));
    }
    keep_worth_telling(found);
    return found;
  }

 private:
  static tl::unexpected<model::Error> wrong(std::string_view what) {
    return failure(ErrorCode::malformed_input, std::string(what));
  }

  /// Fields that every version writes must be there (2.4 to 2.15); all but tensors and frames.
  Expected<RecordedOperation> read_operation(const Value& entry) {
    if (!is_entry(entry)) return wrong("is no dictionary of an operation");
    RecordedOperation operation;
    const auto id = count_of(entry.find("record_id"));
    const auto group_id = count_of(entry.find("pg_id"));
    const auto sequence = count_of(entry.find("collective_seq_id"));
    if (!id || !group_id || !sequence || *id == ~std::uint64_t{0})
      return wrong("has no number of its own, its group or its collective");
    operation.id = *id;
    operation.group_id = *group_id;
    operation.sequence = *sequence;
    operation.point_to_point_sequence = count_of(entry.find("p2p_seq_id")).value_or(0);
    operation.operation_id = count_of(entry.find("op_id")).value_or(0);
    if (!read_names(entry, operation)) return wrong("has no name, or none of its group");
    const auto retired = entry.find("retired");
    operation.retired = retired && retired->boolean().value_or(false);
    const auto point_to_point = entry.find("is_p2p");
    operation.point_to_point = point_to_point && point_to_point->boolean().value_or(false);
    operation.created_unix_ns = number_of(entry.find("time_created_ns")).value_or(0);
    operation.timeout_ms = number_of(entry.find("timeout_ms")).value_or(0);
    operation.started_unix_ns = time_in(entry, "time_discovered_started_ns");
    operation.completed_unix_ns = time_in(entry, "time_discovered_completed_ns");
    return operation;
  }

  /// The pickles have no value for a time that has not come, the JSON has 0.
  static std::optional<std::int64_t> time_in(const Value& entry, std::string_view key) {
    const auto time = number_of(entry.find(key));
    return time && *time > 0 ? time : std::nullopt;
  }

  bool read_names(const Value& entry, RecordedOperation& operation) {
    const auto group = entry.find("process_group");
    if (!group || group->kind() != ValueKind::list || group->size() != 2) return false;
    auto name = name_of(group->element(0));
    auto description = name_of(group->element(1));
    const auto recorded = name_of(entry.find("profiling_name"));
    if (!name || !description || !recorded || recorded->empty()) return false;
    name_bytes_ += name->size() + description->size() + recorded->size();
    if (name_bytes_ > kMaxNameBytes) return false;
    operation.set_profiling_name(*recorded);
    operation.group = std::move(*name);
    operation.group_description = std::move(*description);
    return true;
  }

  void keep_worth_telling(Entries& found) {
    model::mark_batches(found.operations);
    std::vector<RecordedOperation> kept;
    for (const std::size_t i : model::worth_telling(found.operations)) {
      RecordedOperation& operation = found.operations[i];
      const Value entry = list_.element(i);
      operation.inputs = read_tensors(entry.find("input_sizes"), entry.find("input_dtypes"));
      operation.outputs = read_tensors(entry.find("output_sizes"), entry.find("output_dtypes"));
      operation.frames = read_frames(entry.find("frames"));
      kept.push_back(std::move(operation));
    }
    found.operations = std::move(kept);
  }

  /// Empty if one of them makes no sense: sizes that are not all there must not be compared.
  std::vector<RecordedTensor> read_tensors(const std::optional<Value>& sizes, const std::optional<Value>& types) {
    std::vector<RecordedTensor> tensors;
    if (!sizes || sizes->kind() != ValueKind::list) return tensors;
    for (std::size_t i = 0; i < sizes->size(); ++i) {
      const Value dimensions = sizes->element(i);
      sizes_ += 1 + dimensions.size();
      if (dimensions.kind() != ValueKind::list || sizes_ > kMaxSizes) return {};
      RecordedTensor& tensor = tensors.emplace_back();
      for (std::size_t d = 0; d < dimensions.size(); ++d) {
        const auto size = number_of(dimensions.element(d));
        if (!size) return {};
        tensor.sizes.push_back(*size);
      }
      if (types && types->kind() == ValueKind::list && i < types->size())
        tensor.dtype = name_of(types->element(i)).value_or("");
    }
    return tensors;
  }

  static std::vector<model::RecordedFrame> read_frames(const std::optional<Value>& frames) {
    std::vector<model::RecordedFrame> found;
    if (!frames || frames->kind() != ValueKind::list) return found;
    for (std::size_t i = 0; i < std::min(frames->size(), kMaxFrames); ++i) {
      const Value frame = frames->element(i);
      if (!is_entry(frame)) return {};
      const auto line = number_of(frame.find("line")).value_or(0);
      const bool sane = line > 0 && line <= 0x7fffffff;
      found.push_back({name_of(frame.find("name")).value_or(""), name_of(frame.find("filename")).value_or(""),
                       sane ? static_cast<int>(line) : 0});
    }
    return found;
  }

  const Value& list_;
  std::size_t name_bytes_ = 0;
  std::size_t sizes_ = 0;
};

}  // namespace

Expected<Entries> read_entries(const Value& list) { return EntryReader(list).read(); }

}  // namespace hangstack::ingest
