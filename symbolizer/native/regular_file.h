#pragma once
// Opens a file by a path that another process chose: it may name anything by now.

#include <cstdint>
#include <string>

#include "model/error.h"

namespace hangstack::symbolizer {

/// An open regular file; closed by the destructor.
class RegularFile {
 public:
  /// `not_found`, `no_permission`, or `bad_elf` if it is a folder, a FIFO, a device. Never waits for the other end of a
  /// FIFO.
  static model::Expected<RegularFile> open(const std::string& path);
  ~RegularFile();
  RegularFile(RegularFile&& other) noexcept;
  RegularFile& operator=(RegularFile&&) = delete;

  [[nodiscard]] int descriptor() const { return descriptor_; }
  [[nodiscard]] std::uint64_t inode() const { return inode_; }
  /// As /proc/PID/maps writes it: "fd:01".
  [[nodiscard]] const std::string& device() const { return device_; }

 private:
  RegularFile(int descriptor, std::uint64_t inode, std::string device)
      : descriptor_(descriptor), inode_(inode), device_(std::move(device)) {}

  int descriptor_;
  std::uint64_t inode_;
  std::string device_;
};

}  // namespace hangstack::symbolizer
