#pragma once
// The logs of a job: any mixture of NCCL's, PyTorch's, a launcher's, Python's tracebacks and the kernel's, with lines
// of anybody else in between. Bytes of any kind are taken; work grows with their number.

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "model/error.h"
#include "model/logs.h"

namespace hangstack::ingest {

/// What one file tells at most; later lines are left out.
inline constexpr std::size_t kMostLogEvents = 200'000;

/// Whether words stand in it that only such logs have. `stacks`: it holds stacks too, in which names of functions and
/// files are no log.
bool looks_like_log(std::string_view text, bool stacks);

/// What its lines tell, in their order. `line` counts from 1; `file` is empty; host, rank and pid are filled where the
/// text tells them, also by another line of the same process. What is said again of a rank is left out.
std::vector<model::LogEvent> read_log(std::string_view text, std::int64_t modified_unix_ns);

/// What @record of torch.distributed.elastic writes to TORCHELASTIC_ERROR_FILE (2.0 to 2.15): {"message": {"message":
/// "RuntimeError: ...", "extraInfo": {"timestamp": "1700000000"}}}, or a text for a message.
bool looks_like_error_file(std::string_view text);
model::Expected<std::vector<model::LogEvent>> read_error_file(std::string_view text);

}  // namespace hangstack::ingest
