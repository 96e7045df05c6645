#include "sampler/memory/mapping_access.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "sampler/proc/fields.h"

namespace hangstack::sampler {
namespace {

using Kind = FileSystems::Kind;

constexpr auto kLocalTypes =
    std::to_array<std::string_view>({"ext2", "ext3", "ext4", "xfs", "btrfs", "f2fs", "overlay", "squashfs", "erofs",
                                     "zfs", "vfat", "iso9660", "bcachefs", "jfs", "udf", "exfat", "nilfs2"});
constexpr auto kMemoryTypes = std::to_array<std::string_view>({"tmpfs", "ramfs", "devtmpfs", "hugetlbfs", "rootfs"});

bool has_option(std::string_view options, std::string_view wanted) {
  while (!options.empty()) {
    const std::size_t comma = std::min(options.find(','), options.size());
    const std::string_view option = options.substr(0, comma);
    if (option == wanted || (option.starts_with(wanted) && option.substr(wanted.size()).starts_with('='))) return true;
    options.remove_prefix(std::min(comma + 1, options.size()));
  }
  return false;
}

Kind kind_of_type(std::string_view type, std::string_view super_options) {
  // dax=never and dax=inode (the default of ext4 and xfs since 5.10) map no device unless a file asks for it.
  if (has_option(super_options, "dax") && !has_option(super_options, "dax=never") &&
      !has_option(super_options, "dax=inode"))
    return Kind::dax;
  if (std::ranges::find(kMemoryTypes, type) != kMemoryTypes.end()) return Kind::memory;
  return std::ranges::find(kLocalTypes, type) != kLocalTypes.end() ? Kind::local : Kind::distant;
}

/// mountinfo writes "253:1" in decimal, maps "fd:01" in hex.
std::optional<std::string> as_in_maps(std::string_view device) {
  const std::size_t colon = device.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const auto major = number_from<std::uint32_t>(device.substr(0, colon));
  const auto minor = number_from<std::uint32_t>(device.substr(colon + 1));
  if (!major || !minor) return std::nullopt;
  return fmt::format("{:02x}:{:02x}", *major, *minor);
}

bool is_device_path(std::string_view path) {
  if (path.starts_with("/dev/")) {
    constexpr auto kMemory = std::to_array<std::string_view>({"/dev/shm/", "/dev/zero", "/dev/hugepages"});
    return std::ranges::none_of(kMemory, [&](std::string_view memory) { return path.starts_with(memory); });
  }
  constexpr auto kOthers =
      std::to_array<std::string_view>({"/sys/", "/proc/", "/dmabuf", "/drm mm object", "/i915", "/[aio]"});
  return std::ranges::any_of(kOthers, [&](std::string_view other) { return path.starts_with(other); });
}

MappingAccess access_without_file(std::string_view path) {
  if (path.empty() || path.starts_with("[anon")) return MappingAccess::only_present;
  constexpr auto kMemory = std::to_array<std::string_view>({"[heap]", "[stack", "[vdso]"});
  const bool memory = std::ranges::any_of(kMemory, [&](std::string_view name) { return path.starts_with(name); });
  return memory ? MappingAccess::only_present : MappingAccess::never;
}

}  // namespace

void FileSystems::add(std::string_view mountinfo) {
  Lines lines(mountinfo);
  while (const auto line = lines.next()) {
    // 36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw,errors=continue
    Fields fields(*line);
    fields.word();
    fields.word();
    const auto device = as_in_maps(fields.word());
    const std::size_t separator = line->find(" - ");
    if (!device || separator == std::string_view::npos) continue;
    Fields tail(line->substr(separator + 3));
    const std::string_view type = tail.word();
    tail.word();
    by_device_.try_emplace(*device, kind_of_type(type, tail.word()));
  }
}

Kind FileSystems::kind_of(std::string_view device) const {
  const auto found = by_device_.find(device);
  return found == by_device_.end() ? Kind::distant : found->second;
}

MappingAccess access_of(const model::Mapping& mapping, const FileSystems& file_systems) {
  if (!mapping.readable || mapping.start >= mapping.end) return MappingAccess::never;
  const std::string_view path = mapping.path;
  if (!path.starts_with('/')) return access_without_file(path);
  if (is_device_path(path)) return MappingAccess::never;
  // Shared memory without a mount of its own: memfd_create, System V segments.
  if (path.starts_with("/memfd:") || path.starts_with("/SYSV") || path.starts_with("/dev/"))
    return MappingAccess::only_present;
  switch (file_systems.kind_of(mapping.device)) {
    case Kind::dax: return MappingAccess::never;
    case Kind::local: return MappingAccess::may_fault;
    case Kind::memory:
    case Kind::distant: return MappingAccess::only_present;
  }
  return MappingAccess::never;
}

}  // namespace hangstack::sampler
