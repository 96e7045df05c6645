#include "model/capture_codec.h"
#include "tests/fuzz/fuzz.h"

/// The JSON text, a NUL, the memory.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = hangstack::tests::text_of(data, size);
  const std::size_t end = bytes.find('\0');
  const std::string_view json = bytes.substr(0, end);
  const std::string_view memory = end == std::string_view::npos ? std::string_view() : bytes.substr(end + 1);
  (void)hangstack::model::decode_capture(json, memory);
  return 0;
}
