#include "ingest/content.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "ingest/text.h"

namespace hangstack::ingest {
namespace {

/// What a tool's message has in it, and what it means.
struct Refusal {
  std::string_view tool;
  std::string_view words;
  std::string_view fix;
};

constexpr std::string_view kPrivileges =
    "run it as root or with CAP_SYS_PTRACE on the rank's host, in its container if there is one "
    "(kernel.yama.ptrace_scope, "
    "docker --cap-add SYS_PTRACE); \"hangstack doctor\" there says what is missing";
constexpr std::string_view kGone =
    "the process had ended, or the pid is of another pid namespace: look at the rank's log";
constexpr std::string_view kNoPython =
    "it is no Python process, or one that py-spy does not know: gdb, eu-stack or \"hangstack --pids\" read it all the "
    "same";

constexpr auto kRefusals = std::to_array<Refusal>({
    {"py-spy", "Permission Denied", kPrivileges},
    {"py-spy", "Error: Operation not permitted", kPrivileges},
    {"py-spy", "Error: Failed to find python version", kNoPython},
    {"py-spy", "Error: Failed to find a python interpreter", kNoPython},
    {"py-spy", "Error: Failed to get process executable name", kGone},
    {"py-spy", "Error: Failed to open process", kGone},
    {"py-spy", "Error: No such", kGone},
    {"py-spy", "Error: Failed to", "run it again; \"hangstack --pids\" reads the process without it"},
    {"gdb", "ptrace: Operation not permitted", kPrivileges},
    {"gdb", "ptrace: Inappropriate ioctl", kPrivileges},
    {"gdb", "Could not attach to process", kPrivileges},
    {"gdb", "is already traced by process", "another debugger holds it: end that one"},
    {"gdb", "ptrace: No such process", kGone},
    {"eu-stack", "dwfl_linux_proc_attach pid", kPrivileges},
    {"eu-stack", "eu-stack: ", "run it again; \"hangstack --pids\" reads the process without it"},
    {"pystack", "Engine error", kPrivileges},
    {"the tool", "Operation not permitted", kPrivileges},
    {"the tool", "No such process", kGone},
    {"the shell", "command not found", "install the tool where the rank runs, its container perhaps"},
});

}  // namespace

bool looks_like_ras(std::string_view text) {
  const auto begin = text.substr(0, 4096);
  if (begin.starts_with("SERVER PROTOCOL ")) return true;
  const bool json = begin.find_first_not_of(" \t\r\n") == begin.find('{');
  // A flight recorder tells NCCL's version too.
  const auto has = [&](std::string_view key) { return begin.find(key) != std::string_view::npos; };
  if (json) return has("\"nccl_version\"") && !has("\"entries\"") && !has("\"pg_config\"") && !has("\"version\"");
  return begin.starts_with("NCCL version ") && begin.find("Job summary") != std::string_view::npos;
}

bool looks_like_json_list(std::string_view text) {
  const auto open = text.find_first_not_of(" \t\r\n");
  if (open == std::string_view::npos || text[open] != '[') return false;
  const auto next = text.find_first_not_of(" \t\r\n", open + 1);
  return next != std::string_view::npos && (text[next] == '{' || text[next] == ']');
}

std::optional<model::Error> refusal_in(std::string_view text) {
  // No tool says much when it fails; gdb tells of the libraries first.
  constexpr std::size_t kMostBytes = 64U << 10;
  if (text.size() > kMostBytes) return std::nullopt;
  for (const Refusal& refusal : kRefusals) {
    const auto at = text.find(refusal.words);
    if (at == std::string_view::npos) continue;
    const auto begin = text.rfind('\n', at) + 1;
    const auto line = trimmed(text.substr(begin, text.find('\n', at) - begin));
    return model::Error{model::ErrorCode::malformed_input,
                        fmt::format("no stacks: it is what {} said when it failed: \"{}\"", refusal.tool,
                                    printable_name(line.substr(0, 200))),
                        std::string(refusal.fix)};
  }
  return std::nullopt;
}

}  // namespace hangstack::ingest
