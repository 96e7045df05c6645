// Stacks as other tools print them: text of several tools, or py-spy's JSON.

#include "ingest/stacks/join.h"
#include "ingest/stacks/stack_dump.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hangstack;
  if (size > 65536) return 0;
  const auto text = tests::text_of(data, size);
  auto dumps = text.starts_with('[') ? ingest::read_py_spy_json(text) : ingest::read_stacks(text);
  if (!dumps) return 0;
  std::vector<ingest::StackFile> files;
  for (auto& dump : *dumps) {
    if (dump.threads.empty()) __builtin_trap();
    files.push_back({"dump", std::move(dump)});
  }
  if (!files.empty() && ingest::join_stacks(std::move(files)).empty()) __builtin_trap();
  return 0;
}
