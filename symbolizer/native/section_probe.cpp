#include "symbolizer/native/section_probe.h"

#include <elf.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

#include "symbolizer/native/regular_file.h"

namespace hangstack::symbolizer {

namespace {

constexpr std::size_t kMaxNameBytes = std::size_t{64} << 10;

bool read_at(int descriptor, std::uint64_t offset, std::span<std::byte> into) {
  return ::pread(descriptor, into.data(), into.size(), static_cast<off_t>(offset)) == static_cast<ssize_t>(into.size());
}

template <typename T>
bool read_value(int descriptor, std::uint64_t offset, T& value) {
  return read_at(descriptor, offset, std::as_writable_bytes(std::span<T, 1>(&value, 1)));
}

bool is_ordinary(const Elf64_Ehdr& header) {
  return std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_ident[EI_CLASS] == ELFCLASS64 &&
         header.e_ident[EI_DATA] == ELFDATA2LSB && header.e_shentsize == sizeof(Elf64_Shdr) && header.e_shnum != 0 &&
         header.e_shstrndx < header.e_shnum;
}

}  // namespace

bool lacks_section(const model::MappedFile& file, std::string_view name) {
  if (file.open_paths.empty() || file.inode == 0) return false;
  const auto opened = RegularFile::open(file.open_paths.front());
  if (!opened || opened->inode() != file.inode) return false;
  const int descriptor = opened->descriptor();
  Elf64_Ehdr header{};
  if (!read_value(descriptor, 0, header) || !is_ordinary(header)) return false;
  // The names' own header: the names of all sections lie behind each other, each ended by NUL.
  Elf64_Shdr names{};
  const std::uint64_t place = header.e_shoff + std::uint64_t{header.e_shstrndx} * sizeof(Elf64_Shdr);
  if (!read_value(descriptor, place, names) || names.sh_type != SHT_STRTAB || names.sh_size == 0 ||
      names.sh_size > kMaxNameBytes)
    return false;
  std::vector<char> text(names.sh_size);
  if (!read_at(descriptor, names.sh_offset, std::as_writable_bytes(std::span(text)))) return false;
  return std::string_view(text.data(), text.size()).find(name) == std::string_view::npos;
}

}  // namespace hangstack::symbolizer
