#include "symbolizer/native/recorded_bytes.h"

#include <algorithm>
#include <limits>

namespace hangstack::symbolizer {

std::size_t RecordedBytes::read(std::uint64_t address, std::span<std::byte> into) const {
  auto run = runs_.upper_bound(address);
  if (run == runs_.begin()) return 0;
  --run;
  const std::uint64_t skip = address - run->first;
  if (skip >= run->second.size()) return 0;
  const std::size_t count = std::min<std::size_t>(into.size(), run->second.size() - skip);
  std::copy_n(run->second.begin() + static_cast<std::ptrdiff_t>(skip), count, into.begin());
  return count;
}

void RecordedBytes::add(std::uint64_t address, std::span<const std::byte> bytes) {
  if (bytes.empty() || bytes.size() > std::numeric_limits<std::uint64_t>::max() - address) return;
  std::uint64_t start = address;
  std::uint64_t end = address + bytes.size();
  auto first = runs_.upper_bound(start);
  if (first != runs_.begin() && std::prev(first)->first + std::prev(first)->second.size() >= start) --first;
  auto last = first;
  for (; last != runs_.end() && last->first <= end; ++last) {
    start = std::min(start, last->first);
    end = std::max<std::uint64_t>(end, last->first + last->second.size());
  }
  std::vector<std::byte> joined(end - start);
  for (auto run = first; run != last; ++run) {
    std::ranges::copy(run->second, joined.begin() + static_cast<std::ptrdiff_t>(run->first - start));
  }
  std::ranges::copy(bytes, joined.begin() + static_cast<std::ptrdiff_t>(address - start));
  runs_.erase(first, last);
  runs_.emplace(start, std::move(joined));
}

}  // namespace hangstack::symbolizer
