#include "symbolizer/native/facts_json.h"
#include "symbolizer/native/module_cache.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  hangstack::symbolizer::ModuleCache cache;
  if (hangstack::symbolizer::decode_facts(hangstack::tests::text_of(data, size), cache))
    (void)hangstack::symbolizer::encode_facts(cache);
  return 0;
}
