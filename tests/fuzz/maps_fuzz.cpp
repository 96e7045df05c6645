#include <cstdlib>

#include "sampler/proc/maps.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto maps = hangstack::sampler::parse_maps(hangstack::tests::text_of(data, size));
  if (!maps) return 0;
  std::uint64_t end = 0;
  for (const auto& mapping : *maps) {
    if (mapping.start < end || mapping.start >= mapping.end) std::abort();  // ascending, without overlap
    end = mapping.end;
  }
  return 0;
}
