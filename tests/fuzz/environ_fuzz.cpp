#include "sampler/discover/claim.h"
#include "sampler/discover/command.h"
#include "sampler/proc/environment.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hangstack::sampler;
  const std::string_view text = hangstack::tests::text_of(data, size);
  const auto environment = parse_environment(text);
  const auto arguments = parse_command_line(text);
  (void)find_claim(environment, arguments);
  (void)job_key_from_environment(environment, "host");
  (void)classify_command(arguments, text.substr(0, 15));
  return 0;
}
