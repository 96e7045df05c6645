#include "sampler/proc/status.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  (void)hangstack::sampler::parse_status(hangstack::tests::text_of(data, size));
  return 0;
}
