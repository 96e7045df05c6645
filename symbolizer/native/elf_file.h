#pragma once
// One opened and checked ELF file (64-bit, little endian, x86-64), or an image of one in memory.

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/address.h"
#include "model/capture.h"
#include "model/error.h"
#include "symbolizer/native/mapped_image.h"
#include "symbolizer/native/module_facts.h"

// libelf's handle, whose header stays out of ours.
struct Elf;

namespace hangstack::symbolizer {

/// Where the contents of a section lie.
struct SectionBytes {
  std::span<const std::byte> bytes;  ///< as in the file, not decompressed; valid as long as the ElfFile
  std::uint64_t address = 0;         ///< sh_addr
};

class ElfFile {
 public:
  /// Tries `file.open_paths` in order. A file is taken only if it is the mapped one: the same build-id; without a
  /// build-id the same inode on the same device, or a path below /proc/PID/map_files, which names the mapping itself.
  /// `not_found`, `no_permission` or `bad_elf`, naming the file.
  static model::Expected<std::unique_ptr<ElfFile>> open(const model::MappedFile& file);

  /// Any ELF file, for separate debug files: only a regular file is opened, whatever the path names.
  static model::Expected<std::unique_ptr<ElfFile>> open_path(const std::string& path);

  /// An image in memory, e.g. the vDSO or decompressed mini debug information. `name` is for messages.
  static model::Expected<std::unique_ptr<ElfFile>> from_image(std::vector<std::byte> image, const std::string& name);

  ~ElfFile();
  ElfFile(const ElfFile&) = delete;
  ElfFile& operator=(const ElfFile&) = delete;

  [[nodiscard]] Elf* handle() const { return elf_; }
  /// Where it was opened.
  [[nodiscard]] const std::string& opened_path() const { return path_; }
  /// Lower-case hex; empty if it has none.
  [[nodiscard]] const std::string& build_id() const { return build_id_; }
  [[nodiscard]] const std::vector<LoadSegment>& segments() const { return segments_; }
  /// Of the PT_GNU_EH_FRAME program header.
  [[nodiscard]] std::optional<AddressRange> eh_frame_header() const { return eh_frame_header_; }

  /// Address range of an allocated section (one that is in memory when the file is mapped).
  [[nodiscard]] std::optional<AddressRange> section(std::string_view name) const;
  /// Contents of any section of the file.
  [[nodiscard]] std::optional<SectionBytes> section_bytes(std::string_view name) const;
  /// Bytes in the file from `address` to the end of its PT_LOAD's part of the file; empty if no PT_LOAD covers it.
  [[nodiscard]] std::span<const std::byte> bytes_from(model::ModuleAddress address) const;
  /// The whole file.
  [[nodiscard]] std::span<const std::byte> image() const { return image_; }

 private:
  ElfFile() = default;
  static model::Expected<std::unique_ptr<ElfFile>> from_descriptor(int descriptor, const std::string& path);
  model::Expected<void> open_image(std::span<std::byte> image);
  model::Expected<void> read_headers();

  Elf* elf_ = nullptr;
  std::unique_ptr<MappedImage> mapped_image_;  ///< one of the two holds the bytes
  std::vector<std::byte> owned_image_;
  std::span<const std::byte> image_;
  std::string path_;
  std::string build_id_;
  std::vector<LoadSegment> segments_;
  std::optional<AddressRange> eh_frame_header_;
};

}  // namespace hangstack::symbolizer
