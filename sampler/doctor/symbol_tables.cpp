#include "sampler/doctor/symbol_tables.h"

#include <elf.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <vector>

namespace hangstack::sampler {
namespace {

using model::ErrorCode;

constexpr std::size_t kMaxNames = 1UL << 20;

class File {
 public:
  explicit File(const std::string& path) : fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (fd_ >= 0) ::close(fd_);
  }
  [[nodiscard]] bool is_open() const { return fd_ >= 0; }

  bool read_at(std::uint64_t offset, void* into, std::size_t size) const {
    auto* at = static_cast<char*>(into);
    while (size > 0) {
      const ssize_t got = ::pread(fd_, at, size, static_cast<off_t>(offset));
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return false;
      at += got;
      offset += static_cast<std::uint64_t>(got);
      size -= static_cast<std::size_t>(got);
    }
    return true;
  }

 private:
  int fd_;
};

bool read_sections(const File& file, std::vector<Elf64_Shdr>& sections, std::string& names) {
  Elf64_Ehdr header{};
  if (!file.read_at(0, &header, sizeof(header))) return false;
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64) return false;
  if (header.e_shoff == 0) return true;  // stripped of its sections
  if (header.e_shentsize != sizeof(Elf64_Shdr)) return false;
  sections.resize(header.e_shnum);
  if (sections.empty() || !file.read_at(header.e_shoff, sections.data(), sections.size() * sizeof(Elf64_Shdr)))
    return sections.empty();
  if (header.e_shstrndx >= sections.size()) return true;
  const Elf64_Shdr& table = sections[header.e_shstrndx];
  names.resize(std::min<std::uint64_t>(table.sh_size, kMaxNames));
  return file.read_at(table.sh_offset, names.data(), names.size());
}

std::string_view name_of(const Elf64_Shdr& section, const std::string& names) {
  if (section.sh_name >= names.size()) return {};
  const std::string_view rest = std::string_view(names).substr(section.sh_name);
  return rest.substr(0, rest.find('\0'));
}

}  // namespace

model::Expected<SymbolTables> read_symbol_tables(const std::string& path) {
  const File file(path);
  if (!file.is_open()) {
    const bool refused = errno == EACCES || errno == EPERM;
    return model::failure(refused ? ErrorCode::no_permission : ErrorCode::not_found,
                          fmt::format("{} cannot be opened: {}", path, std::strerror(errno)));
  }
  std::vector<Elf64_Shdr> sections;
  std::string names;
  if (!read_sections(file, sections, names))
    return model::failure(ErrorCode::bad_elf, fmt::format("{} is no whole 64-bit ELF file", path));
  SymbolTables tables;
  for (const Elf64_Shdr& section : sections) {
    if (section.sh_type == SHT_NOBITS || section.sh_size == 0) continue;
    const std::string_view name = name_of(section, names);
    tables.symbols = tables.symbols || section.sh_type == SHT_SYMTAB;
    tables.dynamic = tables.dynamic || section.sh_type == SHT_DYNSYM;
    tables.lines = tables.lines || name == ".debug_line";
    tables.unwind = tables.unwind || name == ".eh_frame" || name == ".debug_frame";
  }
  return tables;
}

}  // namespace hangstack::sampler
