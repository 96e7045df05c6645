#include "sampler/proc/syscall.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  (void)hangstack::sampler::parse_syscall(hangstack::tests::text_of(data, size));
  return 0;
}
