#include "symbolizer/records/flight_recorder.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "symbolizer/records/cxx_objects.h"

namespace hangstack::symbolizer {
namespace {

using model::Expected;
using model::MemoryReader;
using model::RecordedOperation;
using model::RecordedTensor;
using model::RemoteAddress;

constexpr std::uint64_t kMaxEntries = 100'000;  // PyTorch's default is 2000
constexpr std::size_t kMaxGroups = 4096;
constexpr std::size_t kMaxMembers = 1UL << 20;     // of all groups
constexpr std::size_t kMaxNameBytes = 64UL << 20;  // of all names
constexpr std::size_t kMaxTensors = 1UL << 20;     // of all operations worth telling

// libstdc++ lays a tuple out from its last element: PyTorch's {name, description} has the description first.
constexpr std::uint64_t kGroupDescription = 0;

tl::unexpected<model::Error> not_a_recorder(const char* why) {
  return model::failure(model::ErrorCode::malformed_input, fmt::format("it is no flight recorder: {}", why));
}

/// A std::optional<int64_t>: the value, then whether there is one.
std::optional<std::int64_t> optional_at(const RemoteStruct& bytes, std::uint64_t offset) {
  if (bytes.u8(offset + 8) != 1) return std::nullopt;
  return static_cast<std::int64_t>(bytes.u64(offset));
}

/// Tensors out of their numbers of dimensions, their types, and all their sizes in a row from `next` on.
std::optional<std::vector<RecordedTensor>> tensors(const std::vector<std::int64_t>& dimensions,
                                                   const std::vector<std::byte>& types,
                                                   const std::vector<std::int64_t>& sizes, std::size_t& next) {
  std::vector<RecordedTensor> found;
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    const std::size_t left = sizes.size() - next;
    if (dimensions[i] < 0 || static_cast<std::uint64_t>(dimensions[i]) > left) return std::nullopt;
    const auto begin = sizes.begin() + static_cast<std::ptrdiff_t>(next);
    RecordedTensor tensor;
    tensor.sizes.assign(begin, begin + static_cast<std::ptrdiff_t>(dimensions[i]));
    if (i < types.size()) tensor.dtype = scalar_type_name(std::to_integer<std::uint8_t>(types[i]));
    next += static_cast<std::size_t>(dimensions[i]);
    found.push_back(std::move(tensor));
  }
  return found;
}

class RecorderReader {
 public:
  RecorderReader(MemoryReader& memory, TracebackReader& tracebacks, const RecorderLayout& layout)
      : memory_(memory), tracebacks_(tracebacks), layout_(layout) {}

  Expected<model::FlightRecorder> read(RemoteAddress address) {
    auto bytes = RemoteStruct::read(memory_, address, layout_.size);
    if (!bytes)
      return model::failure(model::ErrorCode::unreadable_memory, "the flight recorder's memory cannot be read");
    const CxxStruct recorder{address, std::move(*bytes)};
    if (recorder.bytes.u8(layout_.enabled) > 1) return not_a_recorder("its switch is neither on nor off");
    if (recorder.bytes.u8(layout_.enabled) == 0)
      return model::failure(model::ErrorCode::not_found, "it is switched off",
                            "next time: TORCH_FR_BUFFER_SIZE=2000 (before PyTorch 2.9: TORCH_NCCL_TRACE_BUFFER_SIZE)");
    model::FlightRecorder found;
    found.status = model::RecordStatus::ok;
    found.recorded = recorder.bytes.u64(layout_.id);
    if (const auto done = read_ring(recorder, found); !done) return tl::make_unexpected(done.error());
    if (const auto done = keep_worth_telling(found); !done) return tl::make_unexpected(done.error());
    read_groups(address, found);
    return found;
  }

 private:
  Expected<void> read_ring(const CxxStruct& recorder, model::FlightRecorder& found) {
    const std::uint64_t begin = recorder.bytes.u64(layout_.entries);
    const std::uint64_t bytes = recorder.bytes.u64(layout_.entries + 8) - begin;
    const std::uint64_t most = recorder.bytes.u64(layout_.max_entries);
    const std::uint64_t next = recorder.bytes.u64(layout_.next);
    const std::uint64_t count = bytes / layout_.entry.size;
    if (most == 0 || most > kMaxEntries || next > most) return not_a_recorder("its capacity is out of bounds");
    if (bytes % layout_.entry.size != 0 || count > most) return not_a_recorder("its ring does not hold whole entries");
    // A full ring begins, and so ends, at its next place. A reset begins the ids at 0 again, and leaves the entries of
    // before where they are (FlightRecorderDetail.hpp of 2.15).
    const std::uint64_t end = count == most ? next : count;
    const std::uint64_t own = std::min(count, found.recorded);
    found.forgot = own < std::max(count, found.recorded);
    const auto place = [&](std::uint64_t i) {
      return RemoteAddress{begin + (end + count - own + i) % count * layout_.entry.size};
    };
    // One of before the reset has to do as proof.
    if (own == 0 && count > 0 && !read_entry(place(0))) return not_a_recorder("its ring holds no entries");
    std::uint64_t bad = 0;
    for (std::uint64_t i = 0; i < own; ++i) {
      auto operation = read_entry(place(i));
      if (!operation || operation->id != found.recorded - own + i) {
        // Of a process that goes on recording some may change meanwhile: most hold still.
        if (++bad > own / 2) return not_a_recorder("its entries do not follow each other");
        continue;
      }
      entries_.push_back(place(i));
      found.operations.push_back(std::move(*operation));
    }
    return {};
  }

  std::optional<RecordedOperation> read_entry(RemoteAddress address) {
    const RecorderLayout::Entry& e = layout_.entry;
    auto bytes = RemoteStruct::read(memory_, address, e.size);
    if (!bytes || bytes->u8(e.is_p2p) > 1 || bytes->u8(e.retired) > 1) return std::nullopt;
    const CxxStruct entry{address, std::move(*bytes)};
    RecordedOperation operation;
    operation.id = entry.bytes.u64(e.id);
    operation.group_id = entry.bytes.u64(e.pg_id);
    operation.sequence = entry.bytes.u64(e.collective_seq_id);
    operation.point_to_point_sequence = entry.bytes.u64(e.p2p_seq_id);
    operation.operation_id = entry.bytes.u64(e.op_id);
    operation.point_to_point = entry.bytes.u8(e.is_p2p) == 1;
    operation.created_unix_ns = static_cast<std::int64_t>(entry.bytes.u64(e.time_created));
    if (e.timeout_ms != 0) operation.timeout_ms = static_cast<std::int64_t>(entry.bytes.u64(e.timeout_ms));
    operation.started_unix_ns = optional_at(entry.bytes, e.time_discovered_started);
    operation.completed_unix_ns = optional_at(entry.bytes, e.time_discovered_completed);
    operation.retired = entry.bytes.u8(e.retired) == 1;
    const auto name = name_at(entry, e.profiling_name);
    if (!name || name->empty()) return std::nullopt;
    auto group = name_at(entry, e.pg_name + layout_.string_bytes);
    if (!group) return std::nullopt;
    auto description = name_at(entry, e.pg_name + kGroupDescription);
    if (!description) return std::nullopt;
    operation.set_profiling_name(*name);
    operation.group = std::move(*group);
    operation.group_description = std::move(*description);
    return operation;
  }

  bool read_tensors(const CxxStruct& entry, RecordedOperation& operation) {
    const RecorderLayout::Entry& e = layout_.entry;
    const auto sizes = read_small_vector(memory_, entry, e.sizes);
    const auto input_dims = read_small_vector(memory_, entry, e.input_dims, layout_.dimension_bytes);
    const auto output_dims = read_small_vector(memory_, entry, e.output_dims, layout_.dimension_bytes);
    const auto input_types = read_vector(memory_, entry, e.input_dtypes, 1, kMaxTensors);
    const auto output_types = read_vector(memory_, entry, e.output_dtypes, 1, kMaxTensors);
    if (!sizes || !input_dims || !output_dims || !input_types || !output_types) return false;
    std::size_t next = 0;
    auto inputs = tensors(*input_dims, *input_types, *sizes, next);
    auto outputs = inputs ? tensors(*output_dims, *output_types, *sizes, next) : std::nullopt;
    if (!outputs || inputs->size() + outputs->size() > tensors_left_) return false;
    tensors_left_ -= inputs->size() + outputs->size();
    operation.inputs = std::move(*inputs);
    operation.outputs = std::move(*outputs);
    return true;
  }

  /// Tensors and frames; whether it is still the same operation.
  bool read_details(RemoteAddress address, RecordedOperation& operation) {
    auto bytes = RemoteStruct::read(memory_, address, layout_.entry.size);
    if (!bytes || bytes->u64(layout_.entry.id) != operation.id) return false;
    const CxxStruct entry{address, std::move(*bytes)};
    if (!read_tensors(entry, operation)) return false;
    // A shared_ptr begins with the pointer.
    const RemoteAddress traceback{entry.bytes.u64(layout_.entry.traceback)};
    operation.frames = tracebacks_.read(traceback, layout_.traceback_frames);
    return true;
  }

  /// Leaves the operations that are worth telling, with their details.
  Expected<void> keep_worth_telling(model::FlightRecorder& found) {
    model::mark_batches(found.operations);
    const std::vector<std::size_t> told = model::worth_telling(found.operations);
    std::vector<RecordedOperation> kept;
    for (const std::size_t i : told) {
      RecordedOperation& operation = found.operations[i];
      if (read_details(entries_[i], operation)) kept.push_back(std::move(operation));
    }
    if (kept.empty() && !told.empty()) return not_a_recorder("its entries have no tensors");
    found.operations = std::move(kept);
    return {};
  }

  void read_groups(RemoteAddress recorder, model::FlightRecorder& found) {
    constexpr std::size_t kVectorBytes = 24;
    const std::size_t tuple_bytes = 2UL * layout_.string_bytes;
    const RemoteAddress ranks = recorder + layout_.pg_name_to_ranks;
    for (const CxxStruct& pair : read_map(memory_, ranks, tuple_bytes + kVectorBytes, kMaxGroups)) {
      auto name = name_at(pair, layout_.string_bytes);
      auto description = name_at(pair, kGroupDescription);
      const auto members = read_vector(memory_, pair, tuple_bytes, sizeof(std::uint64_t), members_left_);
      if (!name || !description || !members) continue;
      members_left_ -= members->size() / sizeof(std::uint64_t);
      model::RecordedGroup group{std::move(*name), std::move(*description), {}};
      group.ranks.resize(members->size() / sizeof(std::uint64_t));
      if (!members->empty()) std::memcpy(group.ranks.data(), members->data(), members->size());
      found.groups.push_back(std::move(group));
    }
    if (layout_.all_pg_status == 0) return;
    // {number of the group, shared_ptr to its status}; the status begins with the three numbers (c10d/logger.hpp).
    constexpr std::size_t kStatusPairBytes = 24;
    for (const CxxStruct& pair : read_map(memory_, recorder + layout_.all_pg_status, kStatusPairBytes, kMaxGroups)) {
      const auto status = RemoteStruct::read(memory_, RemoteAddress{pair.bytes.u64(8)}, 24);
      if (!status) continue;
      found.group_status.push_back({pair.bytes.u64(0), static_cast<std::int64_t>(status->u64(0)),
                                    static_cast<std::int64_t>(status->u64(8)),
                                    static_cast<std::int64_t>(status->u64(16))});
    }
  }

  std::optional<std::string> name_at(const CxxStruct& in, std::uint64_t offset) {
    if (name_bytes_ > kMaxNameBytes) return std::nullopt;
    auto name = read_string(memory_, in, offset, layout_.string_bytes);
    name_bytes_ += name ? name->size() : kMaxNameLength;
    return name;
  }

  MemoryReader& memory_;
  TracebackReader& tracebacks_;
  const RecorderLayout& layout_;
  std::vector<RemoteAddress> entries_;  ///< where each operation lies
  std::size_t name_bytes_ = 0;          ///< of all names so far
  std::size_t members_left_ = kMaxMembers;
  std::size_t tensors_left_ = kMaxTensors;
};

}  // namespace

Expected<model::FlightRecorder> read_flight_recorder(MemoryReader& memory, RemoteAddress address,
                                                     TracebackReader& tracebacks, const RecorderLayout& layout) {
  return RecorderReader(memory, tracebacks, layout).read(address);
}

Expected<model::FlightRecorder> read_flight_recorder(MemoryReader& memory, RemoteAddress address,
                                                     TracebackReader& tracebacks) {
  Expected<model::FlightRecorder> found = not_a_recorder("no layout is known");
  for (const RecorderLayout* layout : recorder_layouts()) {
    found = read_flight_recorder(memory, address, tracebacks, *layout);
    if (found || found.error().code == model::ErrorCode::not_found) return found;
  }
  return found;
}

}  // namespace hangstack::symbolizer
