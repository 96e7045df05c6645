#include "sampler/proc/mapped_files.h"

#include <elf.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <cstring>

#include "sampler/proc/elf_notes.h"
#include "tests/support/proc_folder.h"

namespace hangstack::sampler {
namespace {

using model::Mapping;
using testing::ElementsAre;

/// Memory that is one array; counts how it is read.
class ArrayMemory : public model::MemoryReader {
 public:
  ArrayMemory(std::uint64_t base, std::vector<std::byte> bytes) : base_(base), bytes_(std::move(bytes)) {}
  void read_batch(std::span<model::ReadRequest> requests) override {
    if (!requests.empty()) ++batches;
    for (model::ReadRequest& request : requests) {
      const std::uint64_t at = request.address.value - base_;
      request.got = at >= bytes_.size() ? 0 : std::min<std::size_t>(request.into.size(), bytes_.size() - at);
      bytes_read += request.got;
      if (request.got > 0) std::memcpy(request.into.data(), bytes_.data() + at, request.got);
    }
  }
  int batches = 0;
  std::size_t bytes_read = 0;

 private:
  std::uint64_t base_;
  std::vector<std::byte> bytes_;
};

template <typename T>
void put(std::vector<std::byte>& bytes, std::size_t at, const T& value) {
  if (bytes.size() < at + sizeof(T)) bytes.resize(at + sizeof(T));
  std::memcpy(bytes.data() + at, &value, sizeof(T));
}

/// Two notes: 12 + 4 + 4 bytes, then 12 + 4 + 20.
constexpr std::size_t kNoteBytes = 56;

/// An ELF file at virtual address `base` whose build-id note stands at `note_at`.
std::vector<std::byte> elf_image(std::uint64_t base, std::size_t note_at) {
  std::vector<std::byte> bytes(8192);
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_phoff = sizeof(header);
  header.e_phentsize = sizeof(Elf64_Phdr);
  header.e_phnum = 2;
  put(bytes, 0, header);
  Elf64_Phdr load{};
  load.p_type = PT_LOAD;
  load.p_vaddr = base;
  put(bytes, sizeof(header), load);
  Elf64_Phdr note{};
  note.p_type = PT_NOTE;
  note.p_vaddr = base + note_at;
  note.p_filesz = kNoteBytes;
  put(bytes, sizeof(header) + sizeof(load), note);
  const Elf64_Nhdr other{4, 4, 1};
  put(bytes, note_at, other);
  put(bytes, note_at + 12, std::array<char, 4>{"GNU"});
  const Elf64_Nhdr build_id{4, 20, NT_GNU_BUILD_ID};
  put(bytes, note_at + 20, build_id);
  put(bytes, note_at + 32, std::array<char, 4>{"GNU"});
  for (std::size_t i = 0; i < 20; ++i) bytes[note_at + 36 + i] = std::byte{static_cast<unsigned char>(0xf0 + i)};
  return bytes;
}

TEST(ElfNotes, BuildIdIsFoundBehindOtherNotes) {
  auto image = elf_image(0, 512);
  EXPECT_EQ(find_build_id(std::span(image).subspan(512, kNoteBytes)), "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff00010203");
}

TEST(ElfNotes, EveryTruncationOfNotesIsHarmless) {
  auto image = elf_image(0, 512);
  for (std::size_t size = 0; size < kNoteBytes; ++size)
    EXPECT_EQ(find_build_id(std::span(image).subspan(512, size)), "") << size;
}

TEST(ElfNotes, SizesThatOverflowEndTheSearch) {
  std::vector<std::byte> bytes(64);
  put(bytes, 0, Elf64_Nhdr{0xffffffff, 0xffffffff, NT_GNU_BUILD_ID});
  EXPECT_EQ(find_build_id(bytes), "");
  put(bytes, 0, Elf64_Nhdr{4, 0xfffffff0, NT_GNU_BUILD_ID});
  EXPECT_EQ(find_build_id(bytes), "");
}

TEST(ElfNotes, OffsetsAreFromTheFirstLoadedByte) {
  const auto image = elf_image(0x400000, 512);
  EXPECT_THAT(find_notes(image), ElementsAre(NoteRange{512, kNoteBytes}));
  EXPECT_TRUE(is_elf64(image));
  for (std::size_t size = 0; size < 176; ++size) EXPECT_TRUE(find_notes(std::span(image).first(size)).empty()) << size;
}

TEST(ElfNotes, A32BitFileIsNotOne) {
  auto image = elf_image(0, 512);
  image[EI_CLASS] = std::byte{ELFCLASS32};
  EXPECT_FALSE(is_elf64(image));
  EXPECT_TRUE(find_notes(image).empty());
}

Mapping mapping(std::uint64_t start, std::uint64_t offset, bool executable, std::string path, std::uint64_t inode) {
  Mapping m;
  m.start = start;
  m.end = start + 0x1000;
  m.file_offset = offset;
  m.readable = true;
  m.executable = executable;
  m.path = std::move(path);
  m.inode = inode;
  m.device = "fd:01";
  return m;
}

TEST(MappedFiles, OnlyElfFilesWithCodeAreListedAndEachOnce) {
  auto image = elf_image(0, 512);
  auto notes = image;
  image.insert(image.end(), notes.begin(), notes.end());
  ArrayMemory memory(0x10000, image);
  const std::vector<Mapping> mappings{
      mapping(0x10000, 0, false, "/usr/lib/a.so", 5), mapping(0x11000, 0x1000, true, "/usr/lib/a.so", 5),
      mapping(0x12000, 0, true, "/usr/lib/a.so", 5),  mapping(0x10000, 0, false, "/data/weights.bin", 6),
      mapping(0x11000, 0, true, "/not/elf", 7),       mapping(0x10000, 0, true, "/dev/nvidia0", 8),
      mapping(0x10000, 0, true, "[vdso]", 0),         mapping(0x90000, 0, true, "/unreadable", 9)};
  const tests::ProcFolder folder;
  const auto files = list_mapped_files(ProcFiles(folder.path()), 42, mappings, memory);
  ASSERT_EQ(files.size(), 1U);
  EXPECT_EQ(files[0].path, "/usr/lib/a.so");
  EXPECT_EQ(files[0].build_id, "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff00010203");
  EXPECT_EQ(files[0].inode, 5U);
  EXPECT_THAT(files[0].open_paths, ElementsAre(folder.path() + "/42/root/usr/lib/a.so",
                                               folder.path() + "/42/map_files/10000-11000", "/usr/lib/a.so"));
  EXPECT_EQ(memory.batches, 1);
}

TEST(MappedFiles, NotesBehindTheFirstPageTakeASecondBatch) {
  ArrayMemory memory(0x10000, elf_image(0, 5000));
  const std::vector<Mapping> mappings{mapping(0x10000, 0, true, "/usr/lib/a.so", 5)};
  const auto files = list_mapped_files(ProcFiles("/nowhere"), 42, mappings, memory);
  ASSERT_EQ(files.size(), 1U);
  EXPECT_EQ(files[0].build_id, "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff00010203");
  EXPECT_EQ(memory.batches, 2);
  EXPECT_LT(memory.bytes_read, 4096U + 100U);
}

TEST(MappedFiles, DeletedProgramIsOpenedByItsMappingFirst) {
  ArrayMemory memory(0x10000, elf_image(0, 512));
  std::vector<Mapping> mappings{mapping(0x10000, 0, true, "/opt/python", 5)};
  mappings[0].deleted = true;
  const tests::ProcFolder folder;
  folder.write("42/task/43/comm", "");
  ASSERT_EQ(::symlink("/opt/python (deleted)", (folder.path() + "/42/task/43/exe").c_str()), 0);
  const auto files = list_mapped_files(ProcFiles(folder.path()), 42, mappings, memory, 43);
  ASSERT_EQ(files.size(), 1U);
  EXPECT_TRUE(files[0].deleted);
  EXPECT_THAT(files[0].open_paths,
              ElementsAre(folder.path() + "/42/map_files/10000-11000", folder.path() + "/42/task/43/exe",
                          folder.path() + "/42/task/43/root/opt/python", "/opt/python"));
}

}  // namespace
}  // namespace hangstack::sampler
