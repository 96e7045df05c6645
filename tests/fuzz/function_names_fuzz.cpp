#include "classifiers/normalize/names.h"
#include "report/printable.h"
#include "report/words/frame_names.h"
#include "symbolizer/native/function_name.h"
#include "tests/fuzz/fuzz.h"

/// A symbol's name on its way to the report.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto raw = hangstack::tests::text_of(data, size);
  const std::string name = hangstack::symbolizer::normal_form(raw);
  (void)hangstack::classifiers::canonical_name(name);
  (void)hangstack::report::columns(hangstack::report::printable(hangstack::report::short_function(name)));
  return 0;
}
