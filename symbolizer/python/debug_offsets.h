#pragma once
// From 3.13 on an interpreter carries a table of its own offsets: _Py_DebugOffsets, the first member of _PyRuntime
// (CPython Include/internal/pycore_debug_offsets.h). The table is the target's data, so it is checked like any other.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "model/error.h"
#include "symbolizer/python/layout.h"

namespace hangstack::symbolizer {

/// Enough for the largest known table (3.15: 944 bytes).
inline constexpr std::size_t kDebugOffsetsBytes = 1024;
inline constexpr std::string_view kDebugOffsetsCookie = "xdebugpy";

/// The version in a table: none without the cookie, or with a version that does not exist.
std::optional<PythonVersion> debug_offsets_version(std::span<const std::byte> table);

/// The layout of an interpreter from the first kDebugOffsetsBytes of its runtime (fewer if the runtime is shorter).
/// `unsupported_python` if its minor version's table is not known, or an offset in it cannot be right.
model::Expected<Layout> layout_from_debug_offsets(std::span<const std::byte> table);

/// Notes whether every field lies within its struct.
class OffsetCheck {
 public:
  /// The struct that the following fields belong to.
  void in_struct(std::string_view name, std::uint64_t size, std::uint64_t max_size) {
    size_ = size;
    if (size == 0 || size > max_size) fail(name);
  }
  /// `width`: bytes of the field, which is aligned to it.
  void field(std::string_view name, std::uint64_t offset, std::uint64_t width) {
    if (offset % width != 0 || offset > size_ || size_ - offset < width) fail(name);
  }
  /// The first that was wrong; empty if none.
  [[nodiscard]] std::string_view wrong() const { return wrong_; }

 private:
  void fail(std::string_view name) {
    if (wrong_.empty()) wrong_ = name;
  }
  std::uint64_t size_ = 0;
  std::string_view wrong_;
};

/// One function per minor version, in layouts/: each knows the order of its table.
Layout layout_3_13(std::span<const std::byte> table, OffsetCheck& check);
Layout layout_3_14(std::span<const std::byte> table, OffsetCheck& check);
Layout layout_3_15(std::span<const std::byte> table, OffsetCheck& check);

/// How every table begins.
struct DebugOffsetsHead {
  std::uint64_t cookie, version, free_threaded;
  std::uint64_t runtime_size, finalizing, interpreters_head;
};

/// Checks the offsets that a layout took from a table against the sizes of their structs.
struct StructSizes {
  std::uint64_t runtime, interpreter, thread, frame, code, type, dict, bytes, text;
};
void check_layout(const Layout& layout, const StructSizes& sizes, OffsetCheck& check);

}  // namespace hangstack::symbolizer
