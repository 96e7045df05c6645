#include "classifiers/evidence/logged.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "model/file_path.h"

namespace hangstack::classifiers {
namespace {

using model::LogEvent;
using model::LogKind;
using model::RankSet;

/// Exceptions and ends that a peer's failure or a launcher brings about.
bool is_consequence(const LogEvent& event) {
  constexpr int kSigterm = -15;
  if (event.kind == LogKind::exited) return event.exit_code == kSigterm || event.exit_code == 0;
  constexpr auto kWords = std::to_array<std::string_view>(
      {"DistBackendError", "DistStoreError", "DistNetworkError", "Connection closed by peer",
       "Connection reset by peer", "Broken pipe", "Socket Timeout", "Timed out waiting", "communicator was aborted",
       "SignalException", "KeyboardInterrupt", "failed to pass monitoredBarrier", "remote process exited",
       "Watchdog caught"});
  return std::ranges::any_of(kWords,
                             [&](std::string_view words) { return event.text.find(words) != std::string::npos; });
}

bool is_end(LogKind kind) {
  return kind == LogKind::exception || kind == LogKind::exited || kind == LogKind::cuda_error || kind == LogKind::xid;
}

bool gave_up(LogKind kind) { return kind == LogKind::watchdog_timeout || kind == LogKind::store_timeout; }

/// "RuntimeError: words (rank3.log:12, at 2026-11-30 23:13:23)"
std::string told(const LogEvent& event) {
  return fmt::format("{} ({}:{}{}{})", event.text, model::base_name(event.file), event.line,
                     event.time.empty() ? "" : ", at ", event.time);
}

/// One observation per text, the fewest ranks first.
void observe(std::vector<model::Observation>& out, std::map<std::string, RankSet>&& texts) {
  constexpr std::size_t kMost = 4;
  std::vector<std::pair<std::string, RankSet>> list(texts.begin(), texts.end());
  std::ranges::stable_sort(list, {}, [](const auto& pair) { return pair.second.size(); });
  if (list.size() > kMost) list.resize(kMost);
  for (auto& [text, ranks] : list) out.push_back({text, ranks, std::string(kLogSource)});
}

}  // namespace

std::map<int, const LogEvent*> ended_by_themselves(const JobFacts& job) {
  std::map<int, const LogEvent*> ends;
  RankSet waited;
  for (const LogEvent& event : job.logs) {
    if (!event.rank) continue;
    if (gave_up(event.kind) && !ends.contains(*event.rank)) waited.insert(*event.rank);
    if (!is_end(event.kind) || waited.contains(*event.rank)) continue;
    if (is_consequence(event))
      waited.insert(*event.rank);
    else
      ends.try_emplace(*event.rank, &event);
  }
  return ends;
}

RankSet timed_out(const JobFacts& job) {
  RankSet ranks;
  for (const LogEvent& event : job.logs)
    if (event.rank && gave_up(event.kind)) ranks.insert(*event.rank);
  return ranks;
}

RankSet UnfinishedInit::never() const {
  RankSet all;
  for (int n = 0; n < ranks; ++n) all.insert(n);
  return all.minus(began);
}

std::vector<UnfinishedInit> unfinished_inits(const JobFacts& job) {
  std::map<std::pair<std::uint64_t, int>, UnfinishedInit> inits;
  for (const LogEvent& event : job.logs) {
    if (event.kind != LogKind::init_start && event.kind != LogKind::init_complete) continue;
    // Before NCCL 2.16 the log has no id: those of one size may be several.
    if (event.communicator == 0) continue;
    UnfinishedInit& init = inits[{event.communicator, event.communicator_ranks}];
    init.communicator = event.communicator;
    init.ranks = event.communicator_ranks;
    (event.kind == LogKind::init_start ? init.began : init.complete).insert(event.communicator_rank);
  }
  std::vector<UnfinishedInit> found;
  for (auto& [key, init] : inits)
    if (!init.began.minus(init.complete).empty()) found.push_back(std::move(init));
  std::ranges::stable_sort(found, std::greater{}, &UnfinishedInit::ranks);
  return found;
}

std::optional<model::FirstCause> logged_cause(const JobFacts& job) {
  const auto ends = ended_by_themselves(job);
  if (ends.empty()) return std::nullopt;
  RankSet known;
  for (const LogEvent& event : job.logs)
    if (event.rank) known.insert(*event.rank);
  for (const RankFacts& rank : job.ranks) known.insert(rank.number);
  if (known.size() == ends.size() && ends.size() > 1) return std::nullopt;
  const LogEvent* first = ends.begin()->second;
  for (const auto& [rank, event] : ends) {
    const bool earlier = (event->first_observed && !first->first_observed) ||
                         (event->first_observed == first->first_observed && event->time_ns < first->time_ns);
    if (earlier) first = event;
  }
  const RankSet culprit{*first->rank};
  return model::FirstCause{"rank_died", culprit, fmt::format("{}: {}", job.who(culprit), told(*first))};
}

std::vector<model::Observation> logged_observations(const JobFacts& job) {
  std::vector<model::Observation> out;
  std::map<std::string, RankSet> ends;
  for (const auto& [rank, event] : ended_by_themselves(job)) ends[told(*event)].insert(rank);
  observe(out, std::move(ends));
  std::map<std::string, RankSet> timeouts;
  std::map<std::string, RankSet> devices;
  for (const LogEvent& event : job.logs) {
    if (!event.rank) continue;
    if (gave_up(event.kind)) {
      std::string text = event.text;
      if (!event.group.empty())
        text +=
            fmt::format(", of group \"{}\"", event.group_description.empty() ? event.group : event.group_description);
      // Each rank waited a few milliseconds more or less.
      timeouts[text].insert(*event.rank);
    }
    if (event.kind == LogKind::unknown_device) devices[event.text].insert(*event.rank);
  }
  observe(out, std::move(timeouts));
  observe(out, std::move(devices));
  const auto inits = unfinished_inits(job);
  for (std::size_t i = 0; i < std::min<std::size_t>(inits.size(), 2); ++i)
    out.push_back({fmt::format("NCCL communicator {:#x} of {} ranks: {} began it, {} have made it",
                               inits[i].communicator, inits[i].ranks, inits[i].began.size(), inits[i].complete.size()),
                   {},
                   std::string(kLogSource)});
  return out;
}

std::string_view records_source(const JobFacts& job) {
  for (const RankFacts& rank : job.ranks)
    for (const auto& recorder : rank.process->last().flight_recorders)
      if (recorder.place == model::kPlaceOfLog) return kLogSource;
  return "flight recorder";
}

}  // namespace hangstack::classifiers
