#include "ingest/logs/log.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "ingest/lines/prefixes.h"
#include "ingest/logs/log_lines.h"
#include "ingest/logs/log_time.h"
#include "ingest/text.h"

namespace hangstack::ingest {
namespace {

using model::LogEvent;
using model::LogKind;

constexpr std::string_view kTraceback = "Traceback (most recent call last):";

/// A field of torchrun's report: "  rank      : 3 (local_rank: 3)".
std::optional<std::string_view> field(std::string_view line, std::string_view name) {
  line = trimmed(line);
  if (!line.starts_with(name)) return std::nullopt;
  line = trimmed(line.substr(name.size()));
  if (!line.starts_with(": ")) return std::nullopt;
  return trimmed(line.substr(2));
}

/// The exceptions that torchrun and srun raise because a rank has failed.
bool is_of_launcher(std::string_view exception) {
  return exception.find("ChildFailedError") != std::string_view::npos ||
         exception.find("ProcessRaisedException") != std::string_view::npos ||
         exception.find("ProcessExitedException") != std::string_view::npos;
}

class Reader {
 public:
  explicit Reader(std::int64_t modified_unix_ns) : modified_unix_ns_(modified_unix_ns) {}

  std::vector<LogEvent> read(std::string_view text) {
    while (!text.empty() && events_.size() < kMostLogEvents) {
      ++line_;
      // Nobody writes a line that long but by mistake.
      take(take_line(text).substr(0, kMostLine));
    }
    join_groups();
    name_by_pid();
    return std::move(events_);
  }

 private:
  static constexpr std::size_t kMostLine = 16'384;

  void take(std::string_view line) {
    own_time_.reset();
    if (auto time = time_in(line, modified_unix_ns_)) {
      last_time_ns_ = time->ns;
      own_time_ = std::move(time);
    }
    std::optional<int> rank = rank_in_line(line);
    std::string_view words = line;
    const auto prefix = prefix_of(line, PrefixKind::torch_rank);
    if (prefix) words.remove_prefix(prefix->length);
    if (in_traceback(words, rank)) return;
    if (in_report(words)) return;
    // The "[Rank 3]" in NCCL's lines is the communicator's.
    if (auto event = nccl_line(words)) return keep(std::move(*event), prefix ? prefix->rank : std::nullopt);
    if (auto event = torch_line(words)) return keep(std::move(*event), rank);
    for (LogEvent& event : launcher_line(words)) keep(std::move(event), std::nullopt);
  }

  /// A traceback's frames are indented; the first line that is not says what was raised.
  bool in_traceback(std::string_view line, std::optional<int> rank) {
    if (trimmed(line).ends_with(kTraceback)) {
      tracebacks_.insert(rank.value_or(-1));
      return true;
    }
    const auto at = tracebacks_.find(rank.value_or(-1));
    if (at == tracebacks_.end()) {
      if (line.starts_with("During handling of the above exception") ||
          line.starts_with("The above exception was the direct cause"))
        drop_exception(rank);
      return false;
    }
    if (line.empty() || line.starts_with(' ') || line.starts_with('\t')) return true;
    tracebacks_.erase(at);
    const auto name = line.substr(0, line.find_first_of(": "));
    const bool named = !name.empty() && std::ranges::all_of(name, [](char c) {
      return c == '.' || c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    });
    if (!named) return false;
    if (is_of_launcher(name)) return true;
    LogEvent event;
    event.kind =
        line.find("wait timeout after ") != std::string_view::npos ? LogKind::store_timeout : LogKind::exception;
    event.text = log_text(line);
    keep(std::move(event), rank);
    return true;
  }

  /// What led to the exception that follows: the one that ended the process is the last.
  void drop_exception(std::optional<int> rank) {
    for (std::size_t i = events_.size(); i-- > 0;) {
      if (events_[i].rank != rank) continue;
      if (events_[i].kind == LogKind::exception) events_.erase(events_.begin() + static_cast<std::ptrdiff_t>(i));
      return;
    }
  }

  /// torchrun's report of failed ranks (torch/distributed/elastic/multiprocessing/errors/__init__.py).
  bool in_report(std::string_view line) {
    if (line.starts_with("Root Cause (first observed failure)")) {
      root_cause_ = true;
      return true;
    }
    if (const auto host = field(line, "host")) {
      report_.host = printable_name(host->substr(0, 255));
      report_begun_ = true;
    } else if (const auto time = field(line, "time"); time && own_time_) {
      report_time_ = own_time_;
    } else if (const auto rank = field(line, "rank"); rank && report_begun_) {
      const long long number = leading_number(*rank);
      if (number >= 0 && number < (1 << 20)) report_.rank = static_cast<int>(number);
    } else if (const auto code = field(line, "exitcode"); code && report_begun_) {
      report_.exit_code = static_cast<int>(std::clamp(leading_number(*code), -256LL, 256LL));
      report_.pid =
          static_cast<std::int32_t>(std::clamp(leading_number(between(*code, "(pid: ", ")")), 0LL, 0x7fffffffLL));
    } else if (const auto words = field(line, "traceback"); words && report_begun_) {
      const bool tells = !words->empty() && !words->starts_with("To enable traceback") && *words != kTraceback;
      end_report(tells ? *words : std::string_view());
      // The frames behind it are those of the failed rank.
      return *words != kTraceback || in_traceback(kTraceback, std::nullopt);
    } else {
      return false;
    }
    return true;
  }

  void end_report(std::string_view words) {
    LogEvent event = std::exchange(report_, {});
    event.kind = LogKind::exited;
    event.first_observed = root_cause_;
    event.text = words.empty() ? fmt::format("ended with exit code {}", event.exit_code.value_or(0)) : log_text(words);
    own_time_ = std::exchange(report_time_, {});
    report_begun_ = false;
    const auto rank = event.rank;
    keep(std::move(event), rank);
  }

  void keep(LogEvent&& event, std::optional<int> rank) {
    const bool init = event.kind == LogKind::init_start || event.kind == LogKind::init_complete;
    if (rank) event.rank = rank;
    event.line = line_;
    if (own_time_) event.time = own_time_->text;
    event.time_ns = own_time_ ? own_time_->ns : last_time_ns_;
    const auto said = std::tuple(event.kind, event.rank.value_or(-1), event.pid, event.sequence.value_or(0),
                                 init ? event.communicator : 0, event.text);
    if (!said_.insert(said).second && !event.first_observed) return;
    events_.push_back(std::move(event));
  }

  /// Up to 2.15 the watchdog names the group in the line behind the one that tells the operation.
  void join_groups() {
    std::map<std::pair<std::optional<int>, std::uint64_t>, LogEvent*> timeouts;
    for (LogEvent& event : events_) {
      if (event.kind == LogKind::watchdog_timeout && event.sequence) {
        timeouts[{event.rank, *event.sequence}] = &event;
      } else if (event.kind == LogKind::group_status && event.sequence) {
        const auto found = timeouts.find({event.rank, *event.sequence});
        if (found == timeouts.end() || !found->second->group.empty()) continue;
        found->second->group = event.group;
        found->second->group_description = event.group_description;
      }
    }
  }

  /// NCCL tells the rank of a process in the communicator of all ranks, torchrun's report that of a pid.
  void name_by_pid() {
    struct Known {
      int ranks = 0;
      int rank = -1;
    };
    std::map<std::pair<std::string, std::int32_t>, Known> known;
    for (const LogEvent& event : events_) {
      if (event.pid == 0) continue;
      Known& process = known[{event.host, event.pid}];
      if (event.communicator_ranks > process.ranks) process = {event.communicator_ranks, event.communicator_rank};
      if (event.kind == LogKind::exited && event.rank) known[{"", event.pid}] = {1, *event.rank};
    }
    for (LogEvent& event : events_) {
      if (event.rank || event.pid == 0) continue;
      const auto found = known.find({event.host, event.pid});
      if (found != known.end() && found->second.rank >= 0) event.rank = found->second.rank;
    }
  }

  std::int64_t modified_unix_ns_;
  std::vector<LogEvent> events_;
  std::set<std::tuple<LogKind, int, std::int32_t, std::uint64_t, std::uint64_t, std::string>> said_;
  std::set<int> tracebacks_;  ///< the ranks whose traceback is under way; -1: nobody's
  std::optional<LogTime> own_time_;
  std::optional<LogTime> report_time_;
  LogEvent report_;
  bool report_begun_ = false;
  bool root_cause_ = false;
  std::int64_t last_time_ns_ = 0;
  std::size_t line_ = 0;
};

}  // namespace

bool looks_like_log(std::string_view text, bool stacks) {
  const auto has = [&](std::string_view words) { return text.find(words) != std::string_view::npos; };
  if (has(" NCCL INFO ") || has(" NCCL WARN ") || has("ProcessGroupNCCL.cpp:") || has("(exitcode: ") ||
      has("srun: error: ") || has("NVRM: Xid (") || has("noticed that process rank ") ||
      has("Root Cause (first observed failure)") || has("Watchdog caught collective operation timeout"))
    return true;
  if (!has(kTraceback))
    return !stacks && (text.starts_with("NCCL version ") || has("wait timeout after ") ||
                       (has("ut of memory") && has("Killed process ")));
  return true;
}

std::vector<LogEvent> read_log(std::string_view text, std::int64_t modified_unix_ns) {
  return Reader(modified_unix_ns).read(text);
}

}  // namespace hangstack::ingest
