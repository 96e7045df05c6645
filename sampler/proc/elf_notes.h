#pragma once
// The head of an ELF file as it stands in memory: where its notes are, and the build-id among them.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace hangstack::sampler {

struct NoteRange {
  std::uint64_t offset = 0;  ///< from the start of the mapping of file offset 0
  std::uint64_t size = 0;    ///< bytes, at most 16 KiB

  friend bool operator==(const NoteRange&, const NoteRange&) = default;
};

/// Whether `head` starts like a 64-bit little-endian ELF file.
bool is_elf64(std::span<const std::byte> head);

/// The PT_NOTE segments of the program headers within `head`, at most 16; those that lie before the first loaded byte
/// or make no sense are left out.
std::vector<NoteRange> find_notes(std::span<const std::byte> head);

/// NT_GNU_BUILD_ID of a note segment as lower-case hex; empty if there is none (elf(5)).
std::string find_build_id(std::span<const std::byte> notes);

}  // namespace hangstack::sampler
