// A reply of NCCL's RAS, text or JSON.

#include "ingest/ras/ras_reply.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hangstack;
  if (size > 65536) return 0;
  const auto report = ingest::read_ras_reply(tests::text_of(data, size));
  if (!report) return 0;
  for (const auto& communicator : report->communicators)
    for (std::size_t i = 1; i < communicator.members.size(); ++i)
      if (communicator.members[i - 1].rank >= communicator.members[i].rank) __builtin_trap();
  return 0;
}
