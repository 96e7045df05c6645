#include "sampler/proc/status.h"

#include <fmt/core.h>

#include "sampler/proc/fields.h"

namespace hangstack::sampler {
namespace {

/// Deepest nesting of pid namespaces (MAX_PID_NS_LEVEL in include/linux/pid_namespace.h), and one for the reader's.
constexpr std::size_t kMaxNamespaces = 33;

template <typename Number>
bool assign(Number& into, std::string_view value, int base = 10) {
  const auto number = number_from<Number>(value, base);
  if (number) into = *number;
  return number.has_value();
}

bool assign(std::array<std::uint32_t, 4>& into, std::string_view value) {
  Fields fields(value);
  for (std::uint32_t& id : into)
    if (!assign(id, fields.word())) return false;
  return true;
}

bool assign(std::vector<std::int32_t>& into, std::string_view value) {
  Fields fields(value);
  for (std::string_view word = fields.word(); !word.empty(); word = fields.word()) {
    std::int32_t pid = 0;
    if (!assign(pid, word) || into.size() == kMaxNamespaces) return false;
    into.push_back(pid);
  }
  return true;
}

/// False if a line that matters makes no sense.
bool parse_line(std::string_view key, std::string_view value, Status& status) {
  if (key == "Tgid") return assign(status.thread_group, value);
  if (key == "TracerPid") return assign(status.tracer_pid, value);
  if (key == "NSpid") return assign(status.ns_pids, value);
  if (key == "Uid") return assign(status.uids, value);
  if (key == "Gid") return assign(status.gids, value);
  if (key == "SigPnd") return assign(status.signals.pending_thread, value, 16);
  if (key == "ShdPnd") return assign(status.signals.pending_process, value, 16);
  if (key == "SigBlk") return assign(status.signals.blocked, value, 16);
  if (key == "SigIgn") return assign(status.signals.ignored, value, 16);
  if (key == "SigCgt") return assign(status.signals.caught, value, 16);
  if (key == "CapPrm") return assign(status.cap_permitted, value, 16);
  if (key == "CapEff") return assign(status.cap_effective, value, 16);
  if (key == "Seccomp") return assign(status.seccomp, value);
  if (key == "Kthread") {
    int flag = 0;
    if (!assign(flag, value)) return false;
    status.kernel_thread = flag != 0;
    return true;
  }
  if (key == "voluntary_ctxt_switches") return assign(status.voluntary_switches, value);
  if (key == "nonvoluntary_ctxt_switches") return assign(status.nonvoluntary_switches, value);
  return true;
}

}  // namespace

model::Expected<Status> parse_status(std::string_view text) {
  Status status;
  Lines lines(text);
  bool complete = false;
  while (const auto line = lines.next()) {
    const std::size_t colon = line->find(':');
    if (colon == std::string_view::npos) continue;
    const std::string_view key = line->substr(0, colon);
    Fields value(line->substr(colon + 1));
    value.skip_blanks();
    if (!parse_line(key, value.rest(), status))
      return model::failure(model::ErrorCode::malformed_input,
                            fmt::format("the line {} of status makes no sense", key));
    complete = complete || key == "nonvoluntary_ctxt_switches";
  }
  if (!complete) return model::failure(model::ErrorCode::malformed_input, "status has no context switch counts");
  return status;
}

}  // namespace hangstack::sampler
