#include "sampler/proc/elf_notes.h"

#include <elf.h>
#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <optional>

namespace hangstack::sampler {
namespace {

constexpr std::size_t kMaxNoteSegments = 16;
constexpr std::size_t kMaxNoteBytes = 16384;
constexpr std::size_t kMaxBuildId = 64;  // SHA-512

template <typename T>
std::optional<T> read_at(std::span<const std::byte> bytes, std::uint64_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return std::nullopt;
  T value{};
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

std::uint64_t align4(std::uint64_t size) { return (size + 3) & ~std::uint64_t{3}; }

}  // namespace

bool is_elf64(std::span<const std::byte> head) {
  if (head.size() < EI_NIDENT || std::memcmp(head.data(), ELFMAG, SELFMAG) != 0) return false;
  return head[EI_CLASS] == std::byte{ELFCLASS64} && head[EI_DATA] == std::byte{ELFDATA2LSB};
}

std::vector<NoteRange> find_notes(std::span<const std::byte> head) {
  std::vector<NoteRange> notes;
  const auto header = read_at<Elf64_Ehdr>(head, 0);
  if (!header || !is_elf64(head) || header->e_phentsize != sizeof(Elf64_Phdr)) return notes;
  std::optional<std::uint64_t> loaded_at;  // the virtual address of file offset 0
  for (std::uint64_t i = 0; i < header->e_phnum; ++i) {
    // The sum may wrap around: read_at then looks elsewhere within the head, which is harmless.
    const auto segment = read_at<Elf64_Phdr>(head, header->e_phoff + i * sizeof(Elf64_Phdr));
    if (!segment) break;
    if (segment->p_type == PT_LOAD && !loaded_at) loaded_at = segment->p_vaddr - segment->p_offset;
    if (segment->p_type != PT_NOTE || segment->p_filesz == 0) continue;
    if (notes.size() == kMaxNoteSegments) break;
    notes.push_back({segment->p_vaddr, std::min<std::uint64_t>(segment->p_filesz, kMaxNoteBytes)});
  }
  if (!loaded_at) return {};
  std::erase_if(notes, [&](const NoteRange& note) { return note.offset < *loaded_at; });
  for (NoteRange& note : notes) note.offset -= *loaded_at;
  return notes;
}

std::string find_build_id(std::span<const std::byte> notes) {
  std::uint64_t at = 0;
  while (const auto note = read_at<Elf64_Nhdr>(notes, at)) {
    const std::uint64_t name = at + sizeof(Elf64_Nhdr);
    const std::uint64_t value = name + align4(note->n_namesz);
    const std::uint64_t end = value + note->n_descsz;
    if (end > notes.size()) break;
    const bool gnu = note->n_namesz == sizeof(ELF_NOTE_GNU) &&
                     std::memcmp(notes.data() + name, ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU)) == 0;
    if (gnu && note->n_type == NT_GNU_BUILD_ID && note->n_descsz <= kMaxBuildId) {
      std::string hex;
      for (const std::byte byte : notes.subspan(value, note->n_descsz))
        hex += fmt::format("{:02x}", static_cast<unsigned>(byte));
      return hex;
    }
    at = value + align4(note->n_descsz);
  }
  return {};
}

}  // namespace hangstack::sampler
