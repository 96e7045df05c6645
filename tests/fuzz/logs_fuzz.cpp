// Logs, sequence logs and the prefixes of their lines.

#include "ingest/lines/encoding.h"
#include "ingest/lines/prefixes.h"
#include "ingest/logs/call_log.h"
#include "ingest/logs/log.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hangstack;
  if (size > 65536) return 0;
  const std::string text = ingest::as_lines(tests::text_of(data, size));
  std::size_t lines = 0;
  for (const ingest::Stream& stream : ingest::split_by_prefix(text)) {
    lines += stream.lines.size();
    for (const auto& event : ingest::read_log(stream.text, 0))
      if (event.line == 0 || event.text.size() > 2048 || (event.rank && *event.rank < 0)) __builtin_trap();
    for (const auto& log : ingest::read_call_log(stream.text, 0).logs)
      if (log.calls.empty()) __builtin_trap();
  }
  if (lines > size + 1) __builtin_trap();
  if (ingest::looks_like_error_file(text)) (void)ingest::read_error_file(text);
  (void)ingest::looks_like_call_log(text);
  return 0;
}
