#include "classifiers/patterns/name_by_place.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "classifiers/evidence/observations.h"
#include "classifiers/patterns/by_stacks.h"
#include "classifiers/patterns/stall_kinds.h"

namespace hangstack::classifiers {
namespace {

using model::RankSet;
using model::Verdict;

bool waits_in_store_for_setup(const ThreadState& state) {
  const bool store = state.detail.find("c10d store") != std::string::npos;
  if (state.beneath == StateKind::store) return !state.site || !state.caller;
  if (state.beneath == StateKind::setup && state.title != "init_process_group") return false;
  // Python alone tells no more.
  if (state.title == "init_process_group" && state.detail.empty()) return true;
  return store;
}

bool all_transfers(const JobFacts& job) {
  return !job.operations.empty() && job.device.empty() && all_of_kind(job, StateKind::p2p);
}

/// None of them keeps the threads of a process group, which those that wait do.
bool without_group(const JobFacts& job, const RankSet& culprits, const RankSet& waiting) {
  const auto keeps = [&](int n) { return has_group_threads(*job.rank(n)->process); };
  return std::ranges::none_of(culprits.ranks(), keeps) && std::ranges::any_of(waiting.ranks(), keeps);
}

std::optional<StallKind> common_kind(const JobFacts& job, const RankSet& culprits) {
  std::optional<StallKind> common;
  for (const int n : culprits.ranks()) {
    const auto kind = stall_kind_of(*job.rank(n)->process);
    if (!kind || (common && common->pattern != kind->pattern)) return std::nullopt;
    common = kind;
  }
  return common;
}

}  // namespace

bool wait_in_store_for_setup(const JobFacts& job, const RankSet& ranks) {
  return !ranks.empty() &&
         std::ranges::all_of(ranks.ranks(), [&](int n) { return waits_in_store_for_setup(job.rank(n)->state()); });
}

bool name_by_wait(Verdict& verdict, const JobFacts& job, const Outsiders& split, const RankSet& culprits) {
  if (culprits.empty()) return false;
  if (job.device.empty() && wait_in_store_for_setup(job, split.waiting)) {
    verdict.pattern = "init_timeout";
    verdict.verification.emplace_back("the store's server lives, and every rank reaches its address");
  } else if (all_transfers(job) && without_group(job, culprits, split.waiting)) {
    verdict.pattern = "p2p_hang_after_abort";
    verdict.confidence = model::Confidence::possible;
    verdict.observations.push_back(
        {"no thread of a process group: it has destroyed its group, or never made one", culprits, "stacks"});
    verdict.verification.emplace_back(
        "its log shows an abort, a destroy_process_group() or an exception before the hang");
  } else {
    return false;
  }
  return true;
}

void name_by_place(Verdict& verdict, const JobFacts& job, const Outsiders& split, const RankSet& culprits) {
  if (name_by_wait(verdict, job, split, culprits)) return;
  const auto kind = common_kind(job, culprits);
  if (!kind) return;
  verdict.pattern = kind->pattern;
  if (kind->guess) verdict.confidence = model::Confidence::possible;
  verdict.observations.push_back({std::string(kind->says), culprits, "stacks"});
  verdict.verification.emplace_back(kind->check);
}

}  // namespace hangstack::classifiers
