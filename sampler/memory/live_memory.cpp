#include "sampler/memory/live_memory.h"

#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <limits>

namespace hangstack::sampler {
namespace {

using model::ReadRequest;

constexpr std::size_t kMaxPieces = 1024;               // IOV_MAX (include/uapi/linux/uio.h)
constexpr std::uint64_t kFaultAroundBytes = 1 << 16;   // default of fault_around_bytes (mm/memory.c)
constexpr std::uint64_t kNearBytes = 64 * kPageBytes;  // looking at these pages too is cheaper than asking again

std::uint64_t page_of(std::uint64_t address) { return address & ~(kPageBytes - 1); }

iovec piece_at(std::uint64_t address, std::size_t bytes) {
  return {reinterpret_cast<void*>(address), bytes};  // NOLINT(performance-no-int-to-ptr): an address elsewhere
}

}  // namespace

LiveMemory::LiveMemory(std::int32_t tid, const std::string& task_folder, std::span<const model::Mapping> mappings,
                       const FileSystems& file_systems, std::size_t fault_budget)
    : tid_(tid), task_folder_(task_folder), presence_(task_folder + "/pagemap"), fault_budget_(fault_budget) {
  update_mappings(mappings, file_systems);
}

LiveMemory::~LiveMemory() {
  if (mem_file_ >= 0) ::close(mem_file_);
}

void LiveMemory::update_mappings(std::span<const model::Mapping> mappings, const FileSystems& file_systems) {
  regions_.clear();
  for (const model::Mapping& mapping : mappings) {
    const MappingAccess access = access_of(mapping, file_systems);
    const bool zero_until_written = !mapping.shared && mapping.inode == 0;
    if (access != MappingAccess::never) regions_.push_back({mapping.start, mapping.end, access, zero_until_written});
  }
}

const LiveMemory::Region* LiveMemory::region_at(std::uint64_t address) const {
  const auto after = std::ranges::upper_bound(regions_, address, {}, &Region::start);
  if (after == regions_.begin() || address >= std::prev(after)->end) return nullptr;
  return &*std::prev(after);
}

std::optional<LiveMemory::Range> LiveMemory::mapping_of(std::uint64_t address) const {
  const Region* region = region_at(address);
  if (region == nullptr) return std::nullopt;
  return Range{region->start, region->end};
}

bool LiveMemory::charge_fault(std::uint64_t address) {
  const std::uint64_t block = address / kFaultAroundBytes;
  if (block == last_fault_block_) return true;
  if (fault_budget_ < kFaultAroundBytes) return false;
  fault_budget_ -= kFaultAroundBytes;
  last_fault_block_ = block;
  return true;
}

/// Up to where [from, to) of one region may be read.
std::uint64_t LiveMemory::present_end(const Region& region, std::uint64_t from, std::uint64_t to) {
  std::uint64_t at = page_of(from);
  while (at < to) {
    const std::uint64_t pages = (to - at + kPageBytes - 1) / kPageBytes;
    const PagePresence::Run run = presence_.run_at(at, pages);
    const std::uint64_t run_end = at + run.pages * kPageBytes;
    if (!run.present) {
      if (region.access == MappingAccess::only_present) return std::max(at, from);
      for (; at < std::min(run_end, to); at += kPageBytes) {
        if (!charge_fault(at)) return std::max(at, from);
      }
    }
    at = run_end;
  }
  return to;
}

std::size_t LiveMemory::readable_prefix(std::uint64_t address, std::size_t bytes) {
  const std::uint64_t room = std::numeric_limits<std::uint64_t>::max() - address;
  const std::uint64_t end = address + std::min<std::uint64_t>(bytes, room);
  std::uint64_t at = address;
  auto region = std::ranges::upper_bound(regions_, at, {}, &Region::start);
  if (region == regions_.begin()) return 0;
  --region;
  while (at < end && region != regions_.end() && region->start <= at && at < region->end) {
    const std::uint64_t piece_end = std::min(end, region->end);
    const std::uint64_t readable = present_end(*region, at, piece_end);
    at = readable;
    if (readable < piece_end) break;
    ++region;
  }
  return at - address;
}

/// How many of the first requests, ascending and near each other, one question about their pages answers.
std::size_t LiveMemory::look_ahead(std::span<const ReadRequest> requests) {
  const std::uint64_t start = page_of(requests.front().address.value);
  const auto end_of = [](const ReadRequest& r) { return r.address.value + r.into.size(); };
  std::uint64_t end = end_of(requests.front());
  std::size_t count = 1;
  for (; count < requests.size(); ++count) {
    const ReadRequest& next = requests[count];
    const bool near = next.address.value >= end && next.address.value - end <= kNearBytes &&
                      next.into.size() <= kNearBytes && end_of(next) - start <= PagePresence::kMostPages * kPageBytes;
    if (!near) break;
    end = end_of(next);
  }
  if (count > 1) presence_.look_ahead(start, (end - start + kPageBytes - 1) / kPageBytes);
  return count;
}

void LiveMemory::read_batch(std::span<ReadRequest> requests) {
  std::vector<std::size_t> allowed(requests.size());
  for (std::size_t i = 0, looked_ahead = 0; i < requests.size(); ++i) {
    if (i >= looked_ahead) looked_ahead = i + look_ahead(requests.subspan(i));
    requests[i].got = 0;
    allowed[i] = readable_prefix(requests[i].address.value, requests[i].into.size());
  }
  presence_.forget();
  transfer(requests, allowed);
}

std::size_t LiveMemory::read_unmapped(model::RemoteAddress address, std::span<std::byte> into) {
  const Region anonymous{0, std::numeric_limits<std::uint64_t>::max(), MappingAccess::only_present, true};
  const std::uint64_t room = std::numeric_limits<std::uint64_t>::max() - address.value - kPageBytes;
  if (address.value > room) return 0;
  const std::uint64_t end = present_end(anonymous, address.value, address.value + into.size());
  ReadRequest request{address, into, 0};
  const std::size_t allowed = end - address.value;
  transfer(std::span(&request, 1), std::span(&allowed, 1));
  return request.got;
}

/// Where the run of untouched pages that starts at `from` ends; `from` itself if its page was touched.
std::uint64_t LiveMemory::untouched_end(std::uint64_t from, std::uint64_t to) {
  const Region* region = region_at(from);
  if (region == nullptr || !region->zero_until_written) return from;
  to = std::min(to, region->end);
  std::uint64_t at = from;
  while (at < to) {
    const std::uint64_t page = page_of(at);
    const PagePresence::Run run = presence_.run_at(page, (to - page + kPageBytes - 1) / kPageBytes);
    if (run.present) break;
    at = std::min(page + run.pages * kPageBytes, to);
  }
  return at;
}

std::size_t LiveMemory::read_over_untouched(model::RemoteAddress address, std::span<std::byte> into, std::size_t got) {
  const std::uint64_t end = address.value + into.size();
  while (got < into.size()) {
    const std::uint64_t from = address.value + got;
    const std::uint64_t hole = untouched_end(from, end) - from;
    if (hole == 0 || got + hole == into.size()) break;
    const std::size_t read = read_up_to(address + got + hole, into.subspan(got + hole));
    if (read == 0) break;
    std::ranges::fill(into.subspan(got, hole), std::byte{0});
    got += hole + read;
  }
  return got;
}

void LiveMemory::transfer(std::span<ReadRequest> requests, std::span<const std::size_t> allowed) {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): filled as far as it is used
  std::array<iovec, kMaxPieces> local;
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): filled as far as it is used
  std::array<iovec, kMaxPieces> remote;
  std::size_t next = 0;
  while (next < requests.size()) {
    std::size_t pieces = 0;
    std::size_t total = 0;
    const std::size_t first = next;
    for (; next < requests.size() && pieces < kMaxPieces; ++next) {
      // An empty piece is kept: pieces and requests stay in step.
      local[pieces] = {requests[next].into.data(), allowed[next]};
      remote[pieces++] = piece_at(requests[next].address.value, allowed[next]);
      total += allowed[next];
    }
    if (total == 0) continue;
    const ssize_t bytes = mem_file_ < 0 ? ::process_vm_readv(tid_, local.data(), pieces, remote.data(), pieces, 0) : -1;
    if (mem_file_ >= 0 || (bytes < 0 && switch_to_mem_file(errno))) {
      for (std::size_t i = first; i < next; ++i)
        requests[i].got = read_mem_file(requests[i].address.value, requests[i].into.first(allowed[i]));
      continue;
    }
    auto left = static_cast<std::size_t>(std::max<ssize_t>(bytes, 0));
    for (std::size_t i = first; i < next; ++i) {
      const std::size_t whole = std::min(left, allowed[i]);
      requests[i].got = whole;
      left -= whole;
      if (whole == allowed[i]) continue;
      // The call ended here: take of this one what there is, and go on behind it.
      requests[i].got +=
          transfer_by_pages(requests[i].address.value + whole, requests[i].into.subspan(whole, allowed[i] - whole));
      next = i + 1;
      break;
    }
  }
}

/// A transfer ends at the first piece that is not readable as a whole (process_vm_readv(2)): pieces of one page.
std::size_t LiveMemory::transfer_by_pages(std::uint64_t address, std::span<std::byte> into) {
  std::size_t done = 0;
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): filled as far as it is used
  std::array<iovec, kMaxPieces> remote;
  while (done < into.size()) {
    std::size_t pieces = 0;
    std::size_t bytes = 0;
    while (pieces < kMaxPieces && done + bytes < into.size()) {
      const std::uint64_t at = address + done + bytes;
      const std::size_t size = std::min<std::uint64_t>(page_of(at) + kPageBytes - at, into.size() - done - bytes);
      remote[pieces++] = piece_at(at, size);
      bytes += size;
    }
    const iovec local{into.data() + done, bytes};
    const ssize_t got = ::process_vm_readv(tid_, &local, 1, remote.data(), pieces, 0);
    if (got <= 0) break;
    done += static_cast<std::size_t>(got);
    if (static_cast<std::size_t>(got) < bytes) break;
  }
  return done;
}

/// ENOSYS: a kernel without CONFIG_CROSS_MEMORY_ATTACH. EPERM: a seccomp filter of ours, as containers have, while the
/// file is judged by the ptrace check alone.
bool LiveMemory::switch_to_mem_file(int error) {
  if ((error != ENOSYS && error != EPERM) || tried_mem_file_) return false;
  tried_mem_file_ = true;
  mem_file_ = ::open((task_folder_ + "/mem").c_str(), O_RDONLY | O_CLOEXEC);
  return mem_file_ >= 0;
}

std::size_t LiveMemory::read_mem_file(std::uint64_t address, std::span<std::byte> into) const {
  std::size_t done = 0;
  while (done < into.size() && address + done <= static_cast<std::uint64_t>(std::numeric_limits<off_t>::max())) {
    const ssize_t got = ::pread(mem_file_, into.data() + done, into.size() - done, static_cast<off_t>(address + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

}  // namespace hangstack::sampler
