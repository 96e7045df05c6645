#pragma once
// Which mappings of a process may be read, and how carefully.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "model/capture.h"

namespace hangstack::sampler {

enum class MappingAccess : std::uint8_t {
  never,         ///< not readable, a device, or something where reading acts
  only_present,  ///< anonymous or shared memory, or a file that is not on a local disk: an absent page could make the
                 ///< reader wait for a user-space pager or a dead server
  may_fault,     ///< a file on a local disk: an absent page may be read in, within a budget
};

/// The file systems of a mount namespace, by device number as in /proc/PID/maps.
class FileSystems {
 public:
  /// Adds what a /proc/PID/mountinfo (proc_pid_mountinfo(5)) says; lines that make no sense are skipped. The first word
  /// on a device counts.
  void add(std::string_view mountinfo);

  enum class Kind : std::uint8_t {
    local,    ///< on a disk of this machine, or on top of other file systems (overlay)
    memory,   ///< tmpfs, hugetlbfs: pages may be registered with userfaultfd
    distant,  ///< network, FUSE, and every type that is not known
    dax,      ///< mounted with dax: pages are the device itself
  };
  /// `device` as "fd:01". A device that no mount names is `distant`.
  [[nodiscard]] Kind kind_of(std::string_view device) const;

 private:
  std::map<std::string, Kind, std::less<>> by_device_;
};

/// Device mappings (/dev/nvidia*, dma-buf, PCI resources below /sys, [vvar]...) are never read: a load from one can
/// hang the reader or the machine. Paths are those of show_map_vma (fs/proc/task_mmu.c); memory below /dev is /dev/shm,
/// /dev/zero and /dev/hugepages.
MappingAccess access_of(const model::Mapping& mapping, const FileSystems& file_systems);

}  // namespace hangstack::sampler
