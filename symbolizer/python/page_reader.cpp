#include "symbolizer/python/page_reader.h"

#include <algorithm>

namespace hangstack::symbolizer {

const std::vector<std::byte>* PageReader::page(std::uint64_t start) {
  const auto [entry, is_new] = pages_.try_emplace(start);
  if (is_new) {
    std::vector<std::byte> bytes(kPageBytes);
    if (memory_.read_up_to(model::RemoteAddress{start}, bytes) == kPageBytes) entry->second = std::move(bytes);
  }
  return entry->second.empty() ? nullptr : &entry->second;
}

void PageReader::read_batch(std::span<model::ReadRequest> requests) {
  for (model::ReadRequest& request : requests) {
    request.got = 0;
    while (request.got < request.into.size()) {
      const std::uint64_t at = request.address.value + request.got;
      const std::uint64_t offset = at % kPageBytes;
      const auto* bytes = page(at - offset);
      if (bytes == nullptr) {
        request.got += memory_.read_up_to(model::RemoteAddress{at}, request.into.subspan(request.got));
        break;
      }
      const std::size_t count = std::min<std::size_t>(kPageBytes - offset, request.into.size() - request.got);
      std::copy_n(bytes->begin() + static_cast<std::ptrdiff_t>(offset), count,
                  request.into.begin() + static_cast<std::ptrdiff_t>(request.got));
      request.got += count;
    }
  }
}

}  // namespace hangstack::symbolizer
