// Dumps of flight recorders, as pickles and as JSON.

#include <cstdlib>
#include <string>

#include "ingest/ingest.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hangstack;
  ingest::Importer importer;
  importer.add({"_0", 0, 0, std::string(tests::text_of(data, size))});
  const ingest::Imported imported = std::move(importer).take();
  // Each file is in the report, or the reason why it is not.
  if (imported.snapshot.processes.empty() && imported.problems.empty()) std::abort();
  return 0;
}
