#include "sampler/capture_bytes.h"

#include <concepts>
#include <cstring>
#include <map>
#include <optional>
#include <type_traits>
#include <vector>

namespace hangstack::sampler {
namespace {

using model::Error;
using model::ProcessCapture;
using model::ThreadCapture;

template <typename T, typename U>
concept Same = std::same_as<std::remove_const_t<T>, U>;

template <typename T>
concept Number = std::is_arithmetic_v<T>;

/// The last value of an enumeration that may arrive.
constexpr model::CaptureMethod last_of(model::CaptureMethod /*type*/) { return model::CaptureMethod::stopped; }
constexpr model::Role last_of(model::Role /*type*/) { return model::Role::other; }
constexpr model::ErrorCode last_of(model::ErrorCode /*type*/) { return model::ErrorCode::internal; }

// Each type's members, for both directions. The bindings name all members: a new one that is left out does not compile.

template <typename Archive>
void pass(Archive& archive, Same<Error> auto& value) {
  auto& [code, message, fix] = value;
  archive(code, message, fix);
}

template <typename Archive>
void pass(Archive& archive, Same<model::Problem> auto& value) {
  auto& [scope, subject, error] = value;
  archive(scope, subject, error);
}

template <typename Archive>
void pass(Archive& archive, Same<model::RemoteAddress> auto& value) {
  auto& [address] = value;
  archive(address);
}

template <typename Archive>
void pass(Archive& archive, Same<model::MemorySegment> auto& value) {
  auto& [address, bytes] = value;
  archive(address, bytes);
}

template <typename Archive>
void pass(Archive& archive, Same<model::Mapping> auto& value) {
  auto& [start, end, file_offset, inode, device, readable, writable, executable, shared, deleted, path] = value;
  archive(start, end, file_offset, inode, device, readable, writable, executable, shared, deleted, path);
}

template <typename Archive>
void pass(Archive& archive, Same<model::MappedFile> auto& value) {
  auto& [path, build_id, inode, device, deleted, open_paths] = value;
  archive(path, build_id, inode, device, deleted, open_paths);
}

template <typename Archive>
void pass(Archive& archive, Same<model::SystemCall> auto& value) {
  auto& [number, arguments] = value;
  archive(number, arguments);
}

template <typename Archive>
void pass(Archive& archive, Same<model::ThreadClocks> auto& value) {
  auto& [user_ticks, system_ticks, voluntary, nonvoluntary, run_count, asleep_s] = value;
  archive(user_ticks, system_ticks, voluntary, nonvoluntary, run_count, asleep_s);
}

template <typename Archive>
void pass(Archive& archive, Same<model::SignalState> auto& value) {
  auto& [pending_thread, pending_process, blocked, ignored, caught] = value;
  archive(pending_thread, pending_process, blocked, ignored, caught);
}

template <typename Archive>
void pass(Archive& archive, Same<model::RankIdentity> auto& value) {
  auto& [role, rank, local_rank, world_size, rank_source, job_key, rank_pid] = value;
  archive(role, rank, local_rank, world_size, rank_source, job_key, rank_pid);
}

template <typename Archive>
void pass(Archive& archive, Same<model::Descendant> auto& value) {
  auto& [pid, parent_pid, name, kernel_state, cpu_ticks] = value;
  archive(pid, parent_pid, name, kernel_state, cpu_ticks);
}

template <typename Archive>
void pass(Archive& archive, Same<ThreadCapture> auto& value) {
  auto& [tid, ns_tid, name, kernel_state, kernel_worker, wchan, syscall, clocks, clocks_after_stop, signals, method,
         registers, fs_base, memory, stack_limit, stopped_us, problems] = value;
  archive(tid, ns_tid, name, kernel_state, kernel_worker, wchan, syscall, clocks, clocks_after_stop, signals, method,
          registers, fs_base, memory, stack_limit, stopped_us, problems);
}

template <typename Archive>
void pass(Archive& archive, Same<ProcessCapture> auto& value) {
  auto& [host, pid, ns_pid, parent_pid, start_time_ticks, captured_at_unix_ns, exe, command_line, environment, identity,
         descendants, kernel_state, tracer_pid, tracer_name, mappings, files, threads, memory, stopped_us, problems] =
      value;
  archive(host, pid, ns_pid, parent_pid, start_time_ticks, captured_at_unix_ns, exe, command_line, environment,
          identity, descendants, kernel_state, tracer_pid, tracer_name, mappings, files, threads, memory, stopped_us,
          problems);
}

/// What one takes beside its memory, about: if it is more, the string grows.
constexpr std::size_t kThreadBytes = 1024;
constexpr std::size_t kMappingBytes = 256;

std::size_t room_for(const std::vector<model::MemorySegment>& segments) {
  std::size_t bytes = 0;
  for (const model::MemorySegment& segment : segments) bytes += segment.bytes.size() + sizeof segment;
  return bytes;
}
std::size_t room_for(const ThreadCapture& thread) { return kThreadBytes + room_for(thread.memory); }
std::size_t room_for(const ProcessCapture& process) {
  std::size_t bytes = room_for(process.memory) + (process.mappings.size() + process.files.size()) * kMappingBytes;
  for (const ThreadCapture& thread : process.threads) bytes += room_for(thread);
  return bytes;
}

class ByteWriter {
 public:
  explicit ByteWriter(std::size_t expected_bytes) { bytes_.reserve(expected_bytes); }
  template <typename... T>
  void operator()(const T&... values) {
    (put(values), ...);
  }
  std::string take() { return std::move(bytes_); }

 private:
  void append(const void* from, std::size_t size) { bytes_.append(static_cast<const char*>(from), size); }

  template <Number T>
  void put(const T& value) {
    append(&value, sizeof value);
  }
  template <typename T>
    requires std::is_enum_v<T>
  void put(const T& value) {
    put(static_cast<std::uint8_t>(value));
  }
  void put(const std::string& text) {
    put(text.size());
    append(text.data(), text.size());
  }
  void put(const std::vector<std::byte>& bytes) {
    put(bytes.size());
    append(bytes.data(), bytes.size());
  }
  template <typename T>
  void put(const std::vector<T>& list) {
    put(list.size());
    for (const T& element : list) put(element);
  }
  template <typename T>
  void put(const std::optional<T>& value) {
    put(value.has_value());
    if (value) put(*value);
  }
  void put(const std::map<std::string, std::string>& map) {
    put(map.size());
    for (const auto& [key, value] : map) (*this)(key, value);
  }
  void put(const model::RegisterSet& registers) {
    put(registers.known_mask());
    for (std::size_t i = 0; i < model::kRegisterCount; ++i)
      if (const auto value = registers.get(static_cast<model::Register>(i))) put(*value);
  }
  template <typename T>
  void put(const T& value) {
    pass(*this, value);
  }

  std::string bytes_;
};

class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : left_(bytes) {}

  template <typename... T>
  void operator()(T&... values) {
    (get(values), ...);
  }
  /// Everything was there, and nothing is left.
  [[nodiscard]] bool is_complete() const { return !broken_ && left_.empty(); }

 private:
  std::string_view take(std::size_t size) {
    if (size > left_.size()) broken_ = true;
    if (broken_) return {};
    const std::string_view taken = left_.substr(0, size);
    left_.remove_prefix(size);
    return taken;
  }
  /// Of a list, each element of which takes a byte at least.
  std::size_t take_size() {
    std::size_t size = 0;
    get(size);
    if (size > left_.size()) broken_ = true;
    return broken_ ? 0 : size;
  }

  template <Number T>
  void get(T& value) {
    const std::string_view bytes = take(sizeof value);
    if (!broken_) std::memcpy(&value, bytes.data(), bytes.size());
  }
  void get(bool& value) {
    std::uint8_t byte = 0;
    get(byte);
    value = byte != 0;
  }
  template <typename T>
    requires std::is_enum_v<T>
  void get(T& value) {
    std::uint8_t number = 0;
    get(number);
    if (number > static_cast<std::uint8_t>(last_of(T{}))) broken_ = true;
    if (!broken_) value = static_cast<T>(number);
  }
  void get(std::string& text) { text = take(take_size()); }
  void get(std::vector<std::byte>& bytes) {
    const std::string_view taken = take(take_size());
    const auto* begin = reinterpret_cast<const std::byte*>(taken.data());
    bytes.assign(begin, begin + taken.size());
  }
  template <typename T>
  void get(std::vector<T>& list) {
    const std::size_t size = take_size();
    list.clear();
    for (std::size_t i = 0; i < size && !broken_; ++i) get(list.emplace_back());
  }
  template <typename T>
  void get(std::optional<T>& value) {
    bool present = false;
    get(present);
    value.reset();
    if (present) get(value.emplace());
  }
  void get(std::map<std::string, std::string>& map) {
    const std::size_t size = take_size();
    for (std::size_t i = 0; i < size && !broken_; ++i) {
      std::string key;
      get(key);
      get(map[key]);
    }
  }
  void get(model::RegisterSet& registers) {
    std::uint32_t known = 0;
    get(known);
    for (std::size_t i = 0; i < model::kRegisterCount; ++i) {
      if (((known >> i) & 1U) == 0) continue;
      std::uint64_t value = 0;
      get(value);
      registers.set(static_cast<model::Register>(i), value);
    }
  }
  template <typename T>
  void get(T& value) {
    pass(*this, value);
  }

  std::string_view left_;
  bool broken_ = false;
};

template <typename T>
std::string write(const T& value) {
  ByteWriter writer(room_for(value));
  writer(value);
  return writer.take();
}

template <typename T>
model::Expected<T> read(std::string_view bytes) {
  T value;
  ByteReader reader(bytes);
  reader(value);
  if (reader.is_complete()) return value;
  return model::failure(model::ErrorCode::malformed_input, "the child that reads the process sent no capture");
}

}  // namespace

std::string bytes_of(const ThreadCapture& thread) { return write(thread); }
std::string bytes_of(const ProcessCapture& process) { return write(process); }
model::Expected<ThreadCapture> thread_from(std::string_view bytes) { return read<ThreadCapture>(bytes); }
model::Expected<ProcessCapture> process_from(std::string_view bytes) { return read<ProcessCapture>(bytes); }

}  // namespace hangstack::sampler
