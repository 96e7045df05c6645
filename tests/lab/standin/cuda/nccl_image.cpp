#include "tests/lab/standin/cuda/nccl_image.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <string_view>

namespace hangstack::standin {
namespace {

constexpr uintptr_t kPage = 4096;

struct Found {
  std::string path;
  NcclImage* image;
};

int look_at(dl_phdr_info* info, size_t, void* data) {
  auto& found = *static_cast<Found*>(data);
  const std::string_view path = info->dlpi_name ? info->dlpi_name : "";
  if (!path.ends_with("/libnccl.so.2")) return 0;
  found.path = path;
  found.image->bias = info->dlpi_addr;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || !(segment.p_flags & PF_X)) continue;
    found.image->text_begin = (info->dlpi_addr + segment.p_vaddr) & ~(kPage - 1);
    found.image->text_end = (info->dlpi_addr + segment.p_vaddr + segment.p_memsz + kPage - 1) & ~(kPage - 1);
  }
  return 1;
}

void read_symbols(const char* file, NcclImage& image) {
  const auto* header = reinterpret_cast<const ElfW(Ehdr)*>(file);
  const auto* sections = reinterpret_cast<const ElfW(Shdr)*>(file + header->e_shoff);
  for (int i = 0; i < header->e_shnum; ++i) {
    if (sections[i].sh_type != SHT_SYMTAB) continue;
    const char* names = file + sections[sections[i].sh_link].sh_offset;
    const auto* symbols = reinterpret_cast<const ElfW(Sym)*>(file + sections[i].sh_offset);
    for (size_t k = 0; k < sections[i].sh_size / sizeof(ElfW(Sym)); ++k) {
      const int type = ELF64_ST_TYPE(symbols[k].st_info);
      if ((type != STT_FUNC && type != STT_OBJECT) || symbols[k].st_value == 0) continue;
      image.symbols.push_back(
          {image.bias + symbols[k].st_value, symbols[k].st_size, type == STT_FUNC, names + symbols[k].st_name});
    }
  }
  std::ranges::stable_sort(image.symbols, {}, &ImageSymbol::address);
}

NcclImage* load() {
  auto* image = new NcclImage;
  Found found{"", image};
  ::dl_iterate_phdr(look_at, &found);
  const int file = found.path.empty() ? -1 : ::open(found.path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) {
    delete image;
    return nullptr;
  }
  struct stat status{};
  ::fstat(file, &status);
  const auto size = static_cast<size_t>(status.st_size);
  void* bytes = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
  ::close(file);
  if (bytes == MAP_FAILED) std::abort();
  read_symbols(static_cast<const char*>(bytes), *image);
  ::munmap(bytes, size);
  return image;
}

}  // namespace

const ImageSymbol* NcclImage::function_at(uintptr_t address) const {
  for (auto found = std::ranges::lower_bound(symbols, address, {}, &ImageSymbol::address);
       found != symbols.end() && found->address == address; ++found) {
    if (found->function) return &*found;
  }
  return nullptr;
}

const ImageSymbol* NcclImage::named(const char* name) const {
  const auto found = std::ranges::find(symbols, name, &ImageSymbol::name);
  return found == symbols.end() ? nullptr : &*found;
}

const NcclImage* nccl_image() {
  static std::mutex* const kMutex = new std::mutex;
  static const NcclImage* image = nullptr;
  const std::lock_guard lock(*kMutex);
  if (!image) image = load();
  return image;
}

}  // namespace hangstack::standin
