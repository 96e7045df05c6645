#pragma once
// Memory of a running process, read from outside and with care for it.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/capture.h"
#include "model/memory_reader.h"
#include "sampler/memory/mapping_access.h"
#include "sampler/memory/page_presence.h"

namespace hangstack::sampler {

/// Reads by process_vm_readv(2), by /proc/PID/mem where that system call is missing or forbidden. Gives nothing outside
/// the mappings that may be read (mapping_access.h), and no absent page of memory.
/// May block for good if a page that was present goes away to a dead server in between: use it in a child process.
class LiveMemory : public model::MemoryReader {
 public:
  /// `tid`: any living thread of the process. `task_folder`: its folder below /proc, "/proc/PID/task/TID".
  /// `fault_budget`: bytes of absent file pages that may be read in, counted in blocks of 64 KiB as the kernel maps
  /// them (fault_around_bytes, mm/memory.c).
  LiveMemory(std::int32_t tid, const std::string& task_folder, std::span<const model::Mapping> mappings,
             const FileSystems& file_systems, std::size_t fault_budget = kFaultBudget);
  ~LiveMemory() override;
  LiveMemory(const LiveMemory&) = delete;
  LiveMemory& operator=(const LiveMemory&) = delete;

  void read_batch(std::span<model::ReadRequest> requests) override;

  /// Takes the mappings of a later reading of /proc/PID/maps.
  void update_mappings(std::span<const model::Mapping> mappings, const FileSystems& file_systems);

  struct Range {
    std::uint64_t start = 0;
    std::uint64_t end = 0;
  };
  /// The readable mapping that holds `address`.
  [[nodiscard]] std::optional<Range> mapping_of(std::uint64_t address) const;

  /// Bytes from an address that no known mapping holds, such as the stack of a thread that was born after maps was
  /// read: as far as pages are present. For anonymous memory only: the caller knows that it is.
  std::size_t read_unmapped(model::RemoteAddress address, std::span<std::byte> into);

  /// Reads on over pages that the process never wrote, as a large array in a frame leaves them: private anonymous
  /// memory of which the kernel has neither page nor swap entry reads as zeros, and zeros are what `into` gets. `got`
  /// bytes of `into` are there already. Gives how many are then; what is never followed by a written page is not
  /// counted.
  std::size_t read_over_untouched(model::RemoteAddress address, std::span<std::byte> into, std::size_t got);

  static constexpr std::size_t kFaultBudget = 16UL << 20;

 private:
  struct Region {
    std::uint64_t start;
    std::uint64_t end;
    MappingAccess access;
    bool zero_until_written;  ///< private and anonymous
  };
  [[nodiscard]] const Region* region_at(std::uint64_t address) const;
  std::uint64_t untouched_end(std::uint64_t from, std::uint64_t to);
  std::size_t readable_prefix(std::uint64_t address, std::size_t bytes);
  std::uint64_t present_end(const Region& region, std::uint64_t from, std::uint64_t to);
  bool charge_fault(std::uint64_t address);
  std::size_t look_ahead(std::span<const model::ReadRequest> requests);
  void transfer(std::span<model::ReadRequest> requests, std::span<const std::size_t> allowed);
  std::size_t transfer_by_pages(std::uint64_t address, std::span<std::byte> into);
  bool switch_to_mem_file(int error);
  std::size_t read_mem_file(std::uint64_t address, std::span<std::byte> into) const;

  std::int32_t tid_;
  std::string task_folder_;
  std::vector<Region> regions_;  ///< ascending, without `never`
  PagePresence presence_;
  std::size_t fault_budget_;
  std::uint64_t last_fault_block_ = ~0ULL;
  int mem_file_ = -1;  ///< open once process_vm_readv turned out to be of no use
  bool tried_mem_file_ = false;
};

}  // namespace hangstack::sampler
