#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "ingest/logs/log_lines.h"
#include "ingest/text.h"
#include "model/rank_set.h"

namespace hangstack::ingest {
namespace {

using model::LogEvent;
using model::LogKind;

constexpr long long kMostTasks = 1 << 20;
constexpr std::size_t kMostNamed = 4096;  // ranks of one line

std::int32_t pid_of(std::string_view text) {
  const long long number = leading_number(text);
  return number > 0 && number <= 0x7fffffff ? static_cast<std::int32_t>(number) : 0;
}

LogEvent exited(std::string_view text, std::optional<int> code) {
  LogEvent event;
  event.kind = LogKind::exited;
  event.text = log_text(trimmed(text));
  event.exit_code = code;
  return event;
}

/// "0-2,5" of Slurm.
std::vector<int> tasks_of(std::string_view list) {
  std::vector<int> tasks;
  while (!list.empty() && tasks.size() < kMostNamed) {
    const auto item = list.substr(0, list.find(','));
    list.remove_prefix(std::min(item.size() + 1, list.size()));
    if (item.empty() || !is_digit(item.front())) return {};
    const auto dash = item.find('-');
    const long long first = leading_number(item);
    const long long last = dash == std::string_view::npos ? first : leading_number(item.substr(dash + 1));
    for (long long task = first; task <= std::min(last, kMostTasks) && tasks.size() < kMostNamed; ++task)
      tasks.push_back(static_cast<int>(task));
  }
  return tasks;
}

/// What Slurm says: "Killed", "Out Of Memory", "Exited with exit code 1", "Segmentation fault (core dumped)".
std::optional<int> slurm_code(std::string_view words) {
  if (const auto at = words.find("exit code "); at != std::string_view::npos)
    return static_cast<int>(leading_number(words.substr(at + 10)) & 0xFF);
  struct Signal {
    std::string_view words;
    int number;
  };
  constexpr auto kSignals = std::to_array<Signal>({{"Killed", -9},
                                                   {"Out Of Memory", -9},
                                                   {"Aborted", -6},
                                                   {"Segmentation fault", -11},
                                                   {"Bus error", -7},
                                                   {"Terminated", -15}});
  for (const Signal& signal : kSignals)
    if (words.starts_with(signal.words)) return signal.number;
  return std::nullopt;
}

std::vector<LogEvent> slurm(std::string_view line) {
  auto rest = line.substr(line.find("srun: error: ") + 13);
  const auto host = rest.substr(0, rest.find(": task"));
  if (host.size() == rest.size() || host.find(' ') != std::string_view::npos) return {};
  rest.remove_prefix(host.size() + 6);
  if (rest.starts_with('s')) rest.remove_prefix(1);
  const auto list = between(rest, " ", ": ");
  const auto words = trimmed(rest.substr(std::min(rest.find(": ") + 2, rest.size())));
  std::vector<LogEvent> events;
  for (const int task : tasks_of(list)) {
    LogEvent& event = events.emplace_back(exited(words, slurm_code(words)));
    event.rank = task;
    event.host = printable_name(host);
  }
  return events;
}

}  // namespace

std::vector<LogEvent> launcher_line(std::string_view line) {
  const auto find = [&](std::string_view words) { return line.find(words); };
  constexpr auto kNone = std::string_view::npos;
  if (find("srun: error: ") != kNone) return slurm(line);
  if (const auto at = find("failed (exitcode: "); at != kNone) {
    const auto code = between(line, "(exitcode: ", ")");
    LogEvent event = exited(fmt::format("ended with exit code {}", code), static_cast<int>(leading_number(code)));
    event.pid = pid_of(between(line.substr(at), "(pid: ", ")"));
    return {event};
  }
  if (const auto at = find("noticed that process rank "); at != kNone) {
    const auto signal = find("exited on signal ");
    if (signal == kNone) return {};
    LogEvent event = exited(line.substr(signal), -static_cast<int>(leading_number(line.substr(signal + 17)) & 0x7F));
    event.rank = static_cast<int>(std::clamp(leading_number(line.substr(at + 26)), 0LL, kMostTasks));
    event.pid = pid_of(between(line, "with PID ", " "));
    event.host = printable_name(between(line, "on node ", " "));
    return {event};
  }
  if (const auto at = find("Killed process "); at != kNone && find("ut of memory") != kNone) {
    LogEvent event = exited(line.substr(find("ut of memory") - 1), -9);
    event.pid = pid_of(line.substr(at + 15));
    return {event};
  }
  if (const auto at = find("NVRM: Xid ("); at != kNone) {
    LogEvent event = exited(line.substr(at), std::nullopt);
    event.kind = LogKind::xid;
    event.pid = pid_of(between(line.substr(at), "pid=", ","));
    return {event};
  }
  return {};
}

}  // namespace hangstack::ingest
