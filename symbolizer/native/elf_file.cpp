#include "symbolizer/native/elf_file.h"

#include <elfutils/libdwelf.h>
#include <fmt/core.h>
#include <gelf.h>
#include <libelf.h>

#include <limits>

#include "symbolizer/native/regular_file.h"

namespace hangstack::symbolizer {

namespace {

using model::ErrorCode;
using model::Expected;
using model::failure;

constexpr std::size_t kMaxOpenPaths = 32;
constexpr std::size_t kMaxProgramHeaders = 4096;

std::string hex(const void* bytes, std::size_t size) {
  std::string text;
  for (std::size_t i = 0; i < size; ++i) text += fmt::format("{:02x}", static_cast<const unsigned char*>(bytes)[i]);
  return text;
}

bool names_the_mapping(const std::string& path) {
  return path.starts_with("/proc/") && path.find("/map_files/") != std::string::npos;
}

/// For files without a build-id. On stacked file systems maps shows the lower device, so that a different device alone
/// with an equal inode is refused too: better no name than a wrong one.
bool is_mapped_inode(const RegularFile& opened, const model::MappedFile& file) {
  return opened.inode() == file.inode && opened.device() == file.device;
}

}  // namespace

Expected<std::unique_ptr<ElfFile>> ElfFile::open(const model::MappedFile& file) {
  model::Error last{ErrorCode::not_found, fmt::format("{} has no path that it can be opened by", file.path), ""};
  std::size_t tried = 0;
  for (const std::string& path : file.open_paths) {
    if (++tried > kMaxOpenPaths) break;
    const auto opened = RegularFile::open(path);
    if (!opened) {
      last = opened.error();
      continue;
    }
    if (file.build_id.empty() && !names_the_mapping(path) && !is_mapped_inode(*opened, file)) {
      last = {ErrorCode::bad_elf, fmt::format("{} is not the file that is mapped: it was replaced", path), ""};
      continue;
    }
    auto elf = from_descriptor(opened->descriptor(), path);
    if (!elf) {
      last = elf.error();
      continue;
    }
    if (!file.build_id.empty() && (*elf)->build_id() != file.build_id) {
      last = {ErrorCode::bad_elf, fmt::format("{} was replaced: its build-id is not the mapped one", path), ""};
      continue;
    }
    return elf;
  }
  return tl::make_unexpected(last);
}

Expected<std::unique_ptr<ElfFile>> ElfFile::open_path(const std::string& path) {
  const auto opened = RegularFile::open(path);
  if (!opened) return tl::make_unexpected(opened.error());
  return from_descriptor(opened->descriptor(), path);
}

Expected<std::unique_ptr<ElfFile>> ElfFile::from_descriptor(int descriptor, const std::string& path) {
  std::unique_ptr<ElfFile> file(new ElfFile);
  file->path_ = path;
  file->mapped_image_ = MappedImage::of(descriptor);
  if (file->mapped_image_ == nullptr) return failure(ErrorCode::bad_elf, fmt::format("{} cannot be mapped", path));
  if (auto done = file->open_image(file->mapped_image_->bytes()); !done) return tl::make_unexpected(done.error());
  return file;
}

Expected<std::unique_ptr<ElfFile>> ElfFile::from_image(std::vector<std::byte> image, const std::string& name) {
  std::unique_ptr<ElfFile> file(new ElfFile);
  file->path_ = name;
  file->owned_image_ = std::move(image);
  if (auto done = file->open_image(file->owned_image_); !done) return tl::make_unexpected(done.error());
  return file;
}

Expected<void> ElfFile::open_image(std::span<std::byte> image) {
  elf_version(EV_CURRENT);
  elf_ = elf_memory(reinterpret_cast<char*>(image.data()), image.size());
  if (elf_ == nullptr || elf_kind(elf_) != ELF_K_ELF) {
    return failure(ErrorCode::bad_elf, fmt::format("{} is not an ELF file", path_));
  }
  return read_headers();
}

ElfFile::~ElfFile() {
  if (elf_ != nullptr) elf_end(elf_);
}

Expected<void> ElfFile::read_headers() {
  std::size_t size = 0;
  const char* raw = elf_rawfile(elf_, &size);
  GElf_Ehdr header{};
  if (raw == nullptr || gelf_getehdr(elf_, &header) == nullptr || gelf_getclass(elf_) != ELFCLASS64 ||
      header.e_ident[EI_DATA] != ELFDATA2LSB || header.e_machine != EM_X86_64) {
    return failure(ErrorCode::bad_elf, fmt::format("{} is not an x86-64 ELF file", path_));
  }
  image_ = std::as_bytes(std::span(raw, size));
  const void* id = nullptr;
  if (const ssize_t id_size = dwelf_elf_gnu_build_id(elf_, &id); id_size > 0 && id_size <= 64) {
    build_id_ = hex(id, static_cast<std::size_t>(id_size));
  }
  std::size_t count = 0;
  if (elf_getphdrnum(elf_, &count) != 0 || count > kMaxProgramHeaders) count = 0;
  for (std::size_t i = 0; i < count; ++i) {
    GElf_Phdr segment{};
    if (gelf_getphdr(elf_, static_cast<int>(i), &segment) == nullptr) break;
    if (segment.p_memsz > std::numeric_limits<std::uint64_t>::max() - segment.p_vaddr) continue;
    if (segment.p_type == PT_LOAD) {
      segments_.push_back({segment.p_offset, segment.p_filesz, segment.p_vaddr, segment.p_memsz,
                           (segment.p_flags & PF_X) != 0, (segment.p_flags & PF_W) != 0});
    } else if (segment.p_type == PT_GNU_EH_FRAME) {
      eh_frame_header_ =
          AddressRange{model::ModuleAddress{segment.p_vaddr}, model::ModuleAddress{segment.p_vaddr + segment.p_memsz}};
    }
  }
  return {};
}

namespace {

std::optional<GElf_Shdr> section_header(Elf* elf, std::string_view name) {
  std::size_t names = 0;
  if (elf_getshdrstrndx(elf, &names) != 0) return std::nullopt;
  for (Elf_Scn* scn = elf_nextscn(elf, nullptr); scn != nullptr; scn = elf_nextscn(elf, scn)) {
    GElf_Shdr header{};
    if (gelf_getshdr(scn, &header) == nullptr) continue;
    const char* text = elf_strptr(elf, names, header.sh_name);
    if (text != nullptr && name == text) return header;
  }
  return std::nullopt;
}

}  // namespace

std::optional<AddressRange> ElfFile::section(std::string_view name) const {
  const auto header = section_header(elf_, name);
  if (!header || (header->sh_flags & SHF_ALLOC) == 0) return std::nullopt;
  if (header->sh_size > std::numeric_limits<std::uint64_t>::max() - header->sh_addr) return std::nullopt;
  return AddressRange{model::ModuleAddress{header->sh_addr}, model::ModuleAddress{header->sh_addr + header->sh_size}};
}

std::optional<SectionBytes> ElfFile::section_bytes(std::string_view name) const {
  const auto header = section_header(elf_, name);
  if (!header || header->sh_type == SHT_NOBITS) return std::nullopt;
  if (header->sh_offset > image_.size() || header->sh_size > image_.size() - header->sh_offset) return std::nullopt;
  return SectionBytes{image_.subspan(header->sh_offset, header->sh_size), header->sh_addr};
}

std::span<const std::byte> ElfFile::bytes_from(model::ModuleAddress address) const {
  for (const LoadSegment& s : segments_) {
    if (address.value < s.address || address.value - s.address >= s.file_size) continue;
    const std::uint64_t skip = address.value - s.address;
    if (s.file_offset > image_.size() || skip >= image_.size() - s.file_offset) return {};
    const std::uint64_t in_file = image_.size() - s.file_offset - skip;
    return image_.subspan(s.file_offset + skip, std::min(in_file, s.file_size - skip));
  }
  return {};
}

}  // namespace hangstack::symbolizer
