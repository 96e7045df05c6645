#include "classifiers/evidence/ras.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "classifiers/evidence/launched.h"

namespace hangstack::classifiers {
namespace {

using model::Observation;
using model::RankSet;
using model::RasPresence;
using model::RasRank;

constexpr std::size_t kMost = 8;

/// The ranks of one communicator that say the same, with what they say.
struct Alike {
  std::uint64_t number = 0;
  std::string text;
  RankSet job_ranks;
  RankSet communicator_ranks;  ///< of processes that were not sampled

  [[nodiscard]] std::string who(const JobFacts& job) const {
    std::string text = job_ranks.empty() ? "" : job.who(job_ranks);
    if (!communicator_ranks.empty()) {
      text += fmt::format("{}rank{} {} of the communicator", text.empty() ? "" : " and ",
                          communicator_ranks.size() == 1 ? "" : "s", communicator_ranks.folded());
    }
    return text;
  }
  void insert(const RasRank& rank) {
    if (rank.job_rank)
      job_ranks.insert(*rank.job_rank);
    else
      communicator_ranks.insert(rank.rank);
  }
};

std::string name_of(const model::RasCommunicator& communicator) {
  SharedCommunicator shared;
  shared.hash = communicator.hash;
  shared.ranks = communicator.ranks;
  return communicator_text(shared);
}

std::optional<std::uint64_t> count_of(const RasRank& rank, std::size_t kind) {
  return kind < rank.launched.size() ? rank.launched[kind] : rank.launched_in_all;
}

std::string_view kind_name(std::size_t kind) {
  return kind < model::kNcclCollectives.size()
             ? model::kNcclCollectives[kind]
             : std::string_view("collectives (NCCL before 2.26 does not tell RAS which)");
}

bool in_use(const RasRank& rank) { return rank.presence == RasPresence::answered && !rank.given_up(); }

/// Behind in one kind of collective: those that launched fewer than others, if all told.
void observe_counts(std::vector<Observation>& out, const JobFacts& job, const model::RasCommunicator& communicator) {
  for (std::size_t kind = 0; kind <= model::kNcclCollectives.size(); ++kind) {
    std::map<std::uint64_t, Alike> by_count;
    for (const RasRank& rank : communicator.members) {
      const auto count = count_of(rank, kind);
      if (count && in_use(rank)) by_count[*count].insert(rank);
    }
    if (by_count.size() < 2) continue;
    std::string counts;
    for (auto at = by_count.rbegin(); at != by_count.rend(); ++at)
      counts += fmt::format("{}{} launched {}", counts.empty() ? "" : ", ", at->second.who(job), at->first);
    Alike behind;
    for (auto at = by_count.begin(); at != std::prev(by_count.end()); ++at) {
      behind.job_ranks = behind.job_ranks.united(at->second.job_ranks);
      behind.communicator_ranks = behind.communicator_ranks.united(at->second.communicator_ranks);
    }
    const bool several = behind.job_ranks.size() + behind.communicator_ranks.size() > 1;
    out.push_back({fmt::format("{} behind in {} on {}: {}", several ? "are" : "is", kind_name(kind),
                               name_of(communicator), counts),
                   behind.job_ranks, "ras"});
  }
}

std::string_view absence(RasPresence presence) {
  switch (presence) {
    case RasPresence::no_communicator: return "answered RAS, and no longer has";
    case RasPresence::silent: return "did not answer RAS about";
    case RasPresence::dead: return "is dead to RAS, a rank of";
    case RasPresence::answered: break;
  }
  return {};
}

void observe_states(std::vector<Observation>& out, const JobFacts& job, const model::RasCommunicator& communicator) {
  std::map<std::string, Alike> found;
  for (const RasRank& rank : communicator.members) {
    if (const auto absent = absence(rank.presence); !absent.empty()) found[std::string(absent)].insert(rank);
    const auto error = [&](std::optional<std::int32_t> result, std::string_view what) {
      if (result && *result != 0 && *result != model::kNcclInProgress)
        found[fmt::format("has {} {} on", what, *result)].insert(rank);
    };
    error(rank.async_error, "the asynchronous error");
    error(rank.init_state, "the initialization error");
    if (rank.aborted) found["has aborted"].insert(rank);
  }
  for (const auto& [text, alike] : found) {
    const std::string others = alike.communicator_ranks.empty() ? "" : fmt::format(" ({})", alike.who(job));
    out.push_back({fmt::format("{} {}{}", text, name_of(communicator), others), alike.job_ranks, "ras"});
  }
}

}  // namespace

std::vector<Observation> ras_observations(const JobFacts& job) {
  std::vector<Observation> out;
  for (const model::RasRecord& record : job.ras) {
    for (const auto& communicator : record.report.communicators) {
      if (out.size() >= kMost) break;
      observe_counts(out, job, communicator);
      observe_states(out, job, communicator);
    }
  }
  if (out.size() > kMost) out.resize(kMost);
  return out;
}

void doubt_by_ras(model::Verdict& verdict, const JobFacts& job) {
  const bool counts =
      std::ranges::any_of(verdict.observations, [](const Observation& seen) { return seen.source == kNcclMemory; });
  if (!counts || job.counts_apart.empty()) return;
  const CountsApart& first = job.counts_apart.front();
  verdict.against.push_back(
      fmt::format("NCCL's memory and RAS count differently: rank {} has launched {} on NCCL "
                  "communicator {:#x} by memory, {} by RAS",
                  first.rank, first.by_memory, first.hash, first.by_ras));
  if (verdict.confidence < model::Confidence::possible) verdict.confidence = model::Confidence::possible;
}

}  // namespace hangstack::classifiers
