#include "model/logs.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/file_path.h"
#include "model/rank_set.h"
#include "model/without_numbers.h"
#include "report/printable.h"
#include "report/text/sections.h"
#include "report/words/folding.h"

namespace hangstack::report {
namespace {

using model::LogEvent;

constexpr std::size_t kMostClasses = 12;
constexpr int kWho = 16;

std::string who(const LogEvent& event) {
  if (event.rank) return fmt::format("rank {}", *event.rank);
  if (event.pid != 0) return fmt::format("pid {}", event.pid);
  return "a rank";
}

std::string place_of(const LogEvent& event) { return fmt::format("{}:{}", model::base_name(event.file), event.line); }

/// Of the rank that a launcher calls the first, if it does, the earliest by the logs' clocks. A line before any time
/// comes first.
const LogEvent* first_failure(const std::vector<LogEvent>& logs) {
  const auto observed = std::ranges::find(logs, true, &LogEvent::first_observed);
  const auto first = std::ranges::find_if(logs, [&](const LogEvent& event) {
    return model::is_failure(event.kind) && (observed == logs.end() || event.rank == observed->rank);
  });
  return first == logs.end() ? nullptr : &*first;
}

/// Ranks whose last notable line is the same but for its numbers.
struct LogClass {
  const LogEvent* example = nullptr;
  model::RankSet ranks;
};

std::vector<LogClass> last_lines(const std::vector<LogEvent>& logs) {
  std::map<int, const LogEvent*> last;
  for (const LogEvent& event : logs) {
    if (!event.rank) continue;
    const LogEvent*& known = last[*event.rank];
    // What went wrong tells more than how far it had come.
    if (known == nullptr || model::is_failure(event.kind) || !model::is_failure(known->kind)) known = &event;
  }
  std::vector<LogClass> classes;
  std::map<std::pair<model::LogKind, std::string>, std::size_t> place;
  for (const auto& [rank, event] : last) {
    const auto [at, fresh] = place.try_emplace({event->kind, model::without_numbers(event->text)}, classes.size());
    if (fresh) classes.push_back({event, {}});
    classes[at->second].ranks.insert(rank);
  }
  return classes;
}

}  // namespace

void logs_section(Page& page, const model::Job& job) {
  if (job.logs.empty()) return;
  page.gap();
  const LogEvent* first = first_failure(job.logs);
  const std::string head =
      first == nullptr ? "logs: no failure in them"
                       : fmt::format("logs: the first failure: {}{}{}, {} ({})", who(*first),
                                     first->time.empty() ? "" : " at ", first->time, first->text, place_of(*first));
  for (const auto& line : wrapped(printable(head), page.width())) page.line(line);
  const std::vector<LogClass> classes = last_lines(job.logs);
  for (std::size_t i = 0; i < std::min(classes.size(), kMostClasses); ++i) {
    const LogClass& one = classes[i];
    const std::string lead = "  " +
                             padded((one.ranks.size() == 1 ? "rank " : "ranks ") +
                                        fitting_list(one.ranks.folded(), one.ranks.size(), kWho - 6),
                                    kWho) +
                             "  ";
    const std::string text = printable(fmt::format("{} ({}{})", one.example->text, place_of(*one.example),
                                                   one.ranks.size() > 1 ? ", and likewise" : ""));
    bool begun = false;
    for (const auto& line : wrapped(text, page.width() - columns(lead))) {
      page.line((begun ? padded("", columns(lead)) : lead) + line);
      begun = true;
    }
  }
  if (classes.size() > kMostClasses) page.line(fmt::format("  {} more in the JSON", classes.size() - kMostClasses));
}

}  // namespace hangstack::report
