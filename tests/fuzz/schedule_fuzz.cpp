#include <cstdlib>

#include "sampler/proc/schedule.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = hangstack::tests::text_of(data, size);
  (void)hangstack::sampler::parse_run_count(text);
  const auto exec_start = hangstack::sampler::parse_exec_start_ms(text);
  if (exec_start && *exec_start <= 0) std::abort();
  return 0;
}
