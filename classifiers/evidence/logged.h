#pragma once
// What the job's logs say: who ended by itself, who timed out, whose communicators did not come about. One source:
// never more than "possible".

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "classifiers/fold/facts.h"

namespace hangstack::classifiers {

inline constexpr std::string_view kLogSource = "logs";

/// How each rank ended that ended by itself, by its log or its launcher's: an exception, a signal, an exit code, an
/// error of its GPU. What follows a timeout of the rank, or says that a peer has gone, is a consequence, as is the
/// SIGTERM of a launcher. Points into `job`.
std::map<int, const model::LogEvent*> ended_by_themselves(const JobFacts& job);

/// Ranks whose watchdog or store gave up waiting.
model::RankSet timed_out(const JobFacts& job);

/// A communicator that some rank began and none, or not all, made.
struct UnfinishedInit {
  std::uint64_t communicator = 0;
  int ranks = 0;
  model::RankSet began;     ///< by their number in the communicator
  model::RankSet complete;  ///< likewise
  [[nodiscard]] model::RankSet never() const;
};
std::vector<UnfinishedInit> unfinished_inits(const JobFacts& job);

/// The first of ended_by_themselves(), unless all that are known did; none without one.
std::optional<model::FirstCause> logged_cause(const JobFacts& job);

std::vector<model::Observation> logged_observations(const JobFacts& job);

/// "flight recorder", or "logs" where what is recorded was put together from the watchdog's lines.
std::string_view records_source(const JobFacts& job);

}  // namespace hangstack::classifiers
