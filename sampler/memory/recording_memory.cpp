#include "sampler/memory/recording_memory.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace hangstack::sampler {
namespace {

using model::MemorySegment;
using model::ReadRequest;
using model::RemoteAddress;

std::uint64_t page_of(std::uint64_t address) { return address & ~(kPageBytes - 1); }

/// The bytes of a request that do not wrap around the end of the address space, nor touch its last page.
std::size_t bounded_size(const ReadRequest& request) {
  const std::uint64_t last_page = page_of(std::numeric_limits<std::uint64_t>::max());
  if (request.address.value >= last_page) return 0;
  return std::min<std::uint64_t>(request.into.size(), last_page - request.address.value);
}

}  // namespace

RecordingMemory::RecordingMemory(model::MemoryReader& source, std::size_t budget) : source_(source), budget_(budget) {}

void RecordingMemory::begin_window() {
  drop_window();
  in_window_ = true;
}

void RecordingMemory::drop_window() {
  window_pages_.clear();
  stack_ = {};
  in_window_ = false;
}

void RecordingMemory::hold(RemoteAddress address, std::span<const std::byte> stack) {
  stack_address_ = address;
  stack_ = stack;
}

RecordingMemory::Pages RecordingMemory::end_window() {
  Pages pages = std::move(window_pages_);
  drop_window();
  return pages;
}

void RecordingMemory::expect(const Pages& pages) {
  const std::size_t count = std::min(pages.size(), budget_ / kPageBytes);
  expected_.clear();
  expected_.reserve(count);
  room_ = std::make_shared<Page[]>(count);
  frozen_pages_.clear();
  for (const auto& [address, page] : pages) {
    if (expected_.size() == count) break;
    expected_.push_back({RemoteAddress{address}, room_.get()[expected_.size()], 0});
    frozen_pages_.emplace_hint(frozen_pages_.end(), address, nullptr);
  }
}

void RecordingMemory::freeze() {
  frozen_ = true;
  if (!expected_.empty()) source_.read_batch(expected_);
  auto page = frozen_pages_.begin();
  for (std::size_t i = 0; i < expected_.size(); ++i, ++page) {
    if (expected_[i].got == kPageBytes) page->second = std::shared_ptr<const Page>(room_, &room_.get()[i]);
  }
}

std::vector<std::uint64_t> RecordingMemory::changed(const Pages& pages) const {
  std::vector<std::uint64_t> addresses;
  for (const auto& [address, before] : pages) {
    const auto now = frozen_pages_.find(address);
    const bool same = now != frozen_pages_.end() &&
                      (before && now->second ? std::memcmp(before->data(), now->second->data(), kPageBytes) == 0
                                             : !before && !now->second);
    if (!same) addresses.push_back(address);
  }
  return addresses;
}

void RecordingMemory::seal() { sealed_ = true; }

void RecordingMemory::thaw() {
  frozen_ = false;
  sealed_ = false;
  frozen_pages_.clear();
  expected_.clear();
  room_.reset();
}

void RecordingMemory::renew() {
  process_pages_.merge(older_pages_);
  older_pages_ = std::move(process_pages_);
  process_pages_.clear();
}

std::vector<MemorySegment> RecordingMemory::process_memory() const {
  Pages all = process_pages_;
  all.insert(older_pages_.begin(), older_pages_.end());
  return join(all);
}

void RecordingMemory::read_batch(std::span<ReadRequest> requests) {
  Pages& pages = in_window_ ? window_pages_ : process_pages_;
  std::vector<bool> served(requests.size());
  for (std::size_t i = 0; i < requests.size(); ++i) {
    requests[i].got = 0;
    served[i] = in_window_ && serve_from_stack(requests[i]);
    if (served[i]) continue;
    const auto missing = missing_pages(requests.subspan(i, 1), pages);
    if (missing.empty()) continue;
    // Something is missing: look for the whole rest of the batch at once.
    fetch(missing_pages(requests.subspan(i), pages), pages);
  }
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (!served[i]) serve_from_pages(requests[i], pages);
  }
}

std::vector<std::uint64_t> RecordingMemory::missing_pages(std::span<const ReadRequest> requests, Pages& pages) {
  std::vector<std::uint64_t> missing;
  for (const ReadRequest& request : requests) {
    const std::size_t size = bounded_size(request);
    if (size == 0) continue;
    const std::uint64_t last = page_of(request.address.value + size - 1);
    for (std::uint64_t page = page_of(request.address.value); page <= last; page += kPageBytes) {
      if (pages.contains(page)) continue;
      if ((pages.size() + missing.size()) * kPageBytes >= budget_) return missing;
      missing.push_back(page);
    }
  }
  std::ranges::sort(missing);
  missing.erase(std::ranges::unique(missing).begin(), missing.end());
  return missing;
}

void RecordingMemory::fetch(std::span<const std::uint64_t> missing, Pages& pages) {
  std::vector<ReadRequest> requests;
  std::vector<std::shared_ptr<Page>> fresh;
  for (const std::uint64_t page : missing) {
    if (frozen_) {
      if (const auto found = frozen_pages_.find(page); found != frozen_pages_.end()) {
        pages.insert(*found);
        continue;
      }
    }
    if (sealed_) {
      pages.emplace(page, nullptr);
      continue;
    }
    fresh.push_back(std::make_shared<Page>());
    requests.push_back({RemoteAddress{page}, *fresh.back(), 0});
  }
  if (requests.empty()) return;
  source_.read_batch(requests);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const bool whole = requests[i].got == kPageBytes;
    const std::shared_ptr<const Page> page = whole ? fresh[i] : nullptr;
    pages.emplace(requests[i].address.value, page);
    if (frozen_) frozen_pages_.emplace(requests[i].address.value, page);
  }
}

bool RecordingMemory::serve_from_stack(ReadRequest& request) const {
  if (request.address < stack_address_) return false;
  const std::uint64_t offset = request.address.value - stack_address_.value;
  if (offset >= stack_.size() || request.into.size() > stack_.size() - offset) return false;
  std::ranges::copy(stack_.subspan(offset, request.into.size()), request.into.begin());
  request.got = request.into.size();
  return true;
}

void RecordingMemory::serve_from_pages(ReadRequest& request, const Pages& pages) {
  const std::size_t size = bounded_size(request);
  while (request.got < size) {
    const std::uint64_t at = request.address.value + request.got;
    const auto found = pages.find(page_of(at));
    if (found == pages.end() || !found->second) return;
    const std::uint64_t offset = at - found->first;
    const std::size_t count = std::min<std::uint64_t>(kPageBytes - offset, size - request.got);
    std::ranges::copy(std::span(*found->second).subspan(offset, count),
                      request.into.begin() + static_cast<std::ptrdiff_t>(request.got));
    request.got += count;
  }
}

std::vector<MemorySegment> RecordingMemory::join(const Pages& pages) {
  std::vector<MemorySegment> segments;
  for (const auto& [address, page] : pages) {
    if (!page) continue;
    const bool neighbour = !segments.empty() && segments.back().address.value + segments.back().bytes.size() == address;
    if (!neighbour) segments.push_back({RemoteAddress{address}, {}});
    segments.back().bytes.insert(segments.back().bytes.end(), page->begin(), page->end());
  }
  return segments;
}

}  // namespace hangstack::sampler
