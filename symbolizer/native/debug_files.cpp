#include "symbolizer/native/debug_files.h"

#include <elfutils/libdwelf.h>
#include <lzma.h>
#include <zlib.h>

#include <filesystem>
#include <system_error>
#include <vector>

namespace hangstack::symbolizer {

namespace {

constexpr std::size_t kMaxMiniDebugBytes = std::size_t{64} << 20;
constexpr const char* kDebugRoot = "/usr/lib/debug";

/// "/proc/123/root" of "/proc/123/root/usr/lib/x.so"; empty for other paths.
std::string root_of(const std::string& path) {
  constexpr std::string_view kMark = "/root/";
  if (!path.starts_with("/proc/")) return {};
  const auto at = path.find(kMark);
  return at == std::string::npos ? std::string{} : path.substr(0, at + kMark.size() - 1);
}

std::vector<std::string> roots_for(const ElfFile& file) {
  std::vector<std::string> roots{""};
  if (auto root = root_of(file.opened_path()); !root.empty()) roots.insert(roots.begin(), std::move(root));
  return roots;
}

bool exists(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored);
}

std::unique_ptr<ElfFile> open_with_build_id(const std::string& path, const std::string& build_id) {
  if (!exists(path)) return nullptr;
  auto opened = ElfFile::open_path(path);
  if (!opened || (*opened)->build_id() != build_id) return nullptr;
  return std::move(*opened);
}

std::unique_ptr<ElfFile> open_with_checksum(const std::string& path, std::uint32_t checksum) {
  if (!exists(path)) return nullptr;
  auto opened = ElfFile::open_path(path);
  if (!opened) return nullptr;
  const auto image = (*opened)->image();
  const auto sum = crc32_z(0, reinterpret_cast<const Bytef*>(image.data()), image.size());
  if (sum != checksum) return nullptr;
  return std::move(*opened);
}

std::unique_ptr<ElfFile> find_by_debug_link(const ElfFile& file) {
  GElf_Word checksum = 0;
  const char* name = dwelf_elf_gnu_debuglink(file.handle(), &checksum);
  if (name == nullptr) return nullptr;
  const std::string base(name);
  if (base.empty() || base.size() > 255 || base.find('/') != std::string::npos) return nullptr;
  const std::string root = root_of(file.opened_path());
  const std::string folder = std::filesystem::path(file.opened_path().substr(root.size())).parent_path().string();
  for (const std::string& r : roots_for(file)) {
    for (const std::string& path :
         {r + folder + "/" + base, r + folder + "/.debug/" + base, r + kDebugRoot + folder + "/" + base}) {
      if (path == file.opened_path()) continue;
      auto found =
          file.build_id().empty() ? open_with_checksum(path, checksum) : open_with_build_id(path, file.build_id());
      if (found) return found;
    }
  }
  return nullptr;
}

}  // namespace

std::unique_ptr<ElfFile> open_separate_debug_file(const ElfFile& file) {
  const std::string& id = file.build_id();
  if (id.size() > 2) {
    for (const std::string& root : roots_for(file)) {
      auto found =
          open_with_build_id(root + kDebugRoot + "/.build-id/" + id.substr(0, 2) + "/" + id.substr(2) + ".debug", id);
      if (found) return found;
    }
  }
  return find_by_debug_link(file);
}

std::unique_ptr<ElfFile> open_mini_debug_data(const ElfFile& file) {
  const auto section = file.section_bytes(".gnu_debugdata");
  if (!section || section->bytes.empty()) return nullptr;
  std::vector<std::byte> image;
  // The size is not stored in the section: grow until it fits.
  for (std::size_t size = section->bytes.size() * 4; size <= kMaxMiniDebugBytes; size *= 4) {
    image.resize(size);
    std::uint64_t memory_limit = kMaxMiniDebugBytes;
    std::size_t in = 0;
    std::size_t out = 0;
    const lzma_ret result = lzma_stream_buffer_decode(
        &memory_limit, 0, nullptr, reinterpret_cast<const std::uint8_t*>(section->bytes.data()), &in,
        section->bytes.size(), reinterpret_cast<std::uint8_t*>(image.data()), &out, image.size());
    if (result == LZMA_BUF_ERROR) continue;
    if (result != LZMA_OK) return nullptr;
    image.resize(out);
    auto opened = ElfFile::from_image(std::move(image), file.opened_path() + " .gnu_debugdata");
    return opened ? std::move(*opened) : nullptr;
  }
  return nullptr;
}

}  // namespace hangstack::symbolizer
