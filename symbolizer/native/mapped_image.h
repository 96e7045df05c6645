#pragma once
// The bytes of a file that somebody else may shrink while we read it.

#include <cstddef>
#include <memory>
#include <span>

namespace hangstack::symbolizer {

/// A file mapped whole, for reading. A page that the file lost after it was mapped (truncated, or an I/O error of its
/// file server) would end the program by SIGBUS: it reads as zeros instead, and so does all behind it. For that, the
/// first image sets this program's handler of SIGBUS; signals that concern no image go to the handler before it.
/// A read from a dead file server still waits.
class MappedImage {
 public:
  /// Null for an empty file, and if there is no room. `descriptor` may be closed afterwards.
  static std::unique_ptr<MappedImage> of(int descriptor);
  ~MappedImage();
  MappedImage(const MappedImage&) = delete;
  MappedImage& operator=(const MappedImage&) = delete;

  /// Private: what is written here (libelf may convert in place) stays ours.
  [[nodiscard]] std::span<std::byte> bytes() const { return bytes_; }
  /// Some of the bytes are zeros that the file never had.
  [[nodiscard]] bool has_lost_pages() const;

 private:
  MappedImage(std::span<std::byte> bytes, std::size_t slot) : bytes_(bytes), slot_(slot) {}

  std::span<std::byte> bytes_;
  std::size_t slot_;
};

}  // namespace hangstack::symbolizer
