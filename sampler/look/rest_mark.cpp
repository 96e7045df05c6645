#include "sampler/look/rest_mark.h"

#include <fmt/core.h>

#include <array>

#include "sampler/proc/schedule.h"
#include "sampler/proc/status.h"

namespace hangstack::sampler {
namespace {

using model::ErrorCode;
using model::Expected;

Expected<std::string_view> read_of_thread(const ProcFiles& proc, std::int32_t pid, std::int32_t tid,
                                          std::string_view name, std::span<char> buffer) {
  auto text = proc.read_once(fmt::format("{}/task/{}/{}", pid, tid, name), buffer);
  if (!text && text.error().code == ErrorCode::not_found)
    return model::failure(ErrorCode::vanished, fmt::format("thread {} ended while it was looked at", tid));
  return text;
}

}  // namespace

Expected<RestMark> read_rest_mark(const ProcFiles& proc, std::int32_t pid, std::int32_t tid) {
  std::array<char, 16384> buffer{};
  RestMark mark;
  const auto line = read_of_thread(proc, pid, tid, "syscall", buffer).and_then(parse_syscall);
  if (!line) return tl::make_unexpected(line.error());
  mark.line = *line;
  if (mark.line.running) return mark;
  if (const auto text = read_of_thread(proc, pid, tid, "schedstat", buffer)) mark.run_count = parse_run_count(*text);
  if (mark.run_count) return mark;
  const auto status = read_of_thread(proc, pid, tid, "status", buffer).and_then(parse_status);
  if (!status) return tl::make_unexpected(status.error());
  mark.switches = status->voluntary_switches + status->nonvoluntary_switches;
  return mark;
}

}  // namespace hangstack::sampler
