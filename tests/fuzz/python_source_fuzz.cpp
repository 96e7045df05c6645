#include "classifiers/fold/python_source.h"
#include "classifiers/fold/source_flow.h"
#include "tests/fuzz/fuzz.h"

/// The first two bytes are the lines that are asked about.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const auto source = hangstack::tests::text_of(data + 2, size - 2);
  (void)hangstack::classifiers::logical_lines(source);
  (void)hangstack::classifiers::flow_between(source, data[0], data[1]);
  (void)hangstack::classifiers::in_loop(source, data[0]);
  return 0;
}
