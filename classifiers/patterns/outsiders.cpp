#include "classifiers/patterns/outsiders.h"

#include <fmt/format.h>

#include <algorithm>

#include "classifiers/evidence/children.h"
#include "classifiers/evidence/launched.h"
#include "classifiers/evidence/observations.h"
#include "classifiers/evidence/recorded.h"
#include "classifiers/states/python_waits.h"

namespace hangstack::classifiers {
namespace {

using model::Confidence;
using model::RankSet;

/// A rank at the most common call site of the most common operation; one that waits for the device if none is inside.
const RankFacts* example_of(const JobFacts& job) {
  if (!job.operations.empty()) {
    const auto& operation = job.operations.front();
    const auto site = operation.sites.find(operation.main_site());
    if (site != operation.sites.end()) return job.rank(*site->second.ranks().begin());
  }
  return job.device.empty() ? nullptr : job.rank(*job.device.ranks().begin());
}

std::string name_of(const JobFacts& job, const RankFacts& example) {
  const ThreadState& state = example.state();
  if (job.operations.empty()) return state.title + (state.site ? " at " + state.site->text() : "");
  const auto site = job.operations.front().main_site();
  return job.operations.front().title + (site.empty() ? "" : " at " + site);
}

bool is_past(Position position) {
  return position == Position::after || position == Position::branch || position == Position::past ||
         position == Position::finished;
}

}  // namespace

Outsiders outsiders_of(const JobFacts& job) {
  static const Sources kNoSources;
  Outsiders split;
  split.waiting = job.inside.united(job.device);
  const RankFacts* example = example_of(job);
  if (example == nullptr) return split;
  split.operation = name_of(job, *example);
  split.left = true;
  for (const int n : job.outside.ranks()) {
    const Placement placement =
        place_of(*job.rank(n)->process, *example->process, job.sources == nullptr ? kNoSources : *job.sources);
    if (!placement.text.empty()) split.placements[placement.text].insert(n);
    if (is_past(placement.position) && !job.moved.contains(n)) {
      split.past.insert(n);
      split.left = split.left && (placement.position == Position::finished || placement.position == Position::past);
    } else {
      split.late.insert(n);
    }
  }
  split.left = split.left && !split.past.empty();
  return split;
}

bool all_serve(const JobFacts& job, const RankSet& set) {
  return std::ranges::all_of(set.ranks(), [&](int n) { return job.rank(n)->state().title == kServerLoop; });
}

bool few_wait_alone(const JobFacts& job, const Outsiders& split) {
  if (!split.late.empty() || !job.device.empty() || split.left) return false;
  return job.inside.size() < split.past.size() && split.placements.size() == 1;
}

Confidence confidence_in(const JobFacts& job, const Outsiders& split, const RankSet& culprits) {
  const bool rests =
      job.samples > 1 ? split.waiting.minus(job.unmoved).empty() : job.stuck_for(split.waiting).has_value();
  const bool known = job.blind.empty() && job.duplicates.empty() && !job.world_sizes_differ;
  const bool named =
      job.operations.size() == 1 || (job.operations.empty() && behind_in_launches(job, split.waiting, culprits));
  bool stacks = true;
  for (const int n : culprits.ranks()) {
    const ThreadFacts* thread = job.rank(n)->process->blocking_thread();
    stacks = stacks && thread != nullptr && !thread->view.names.empty();
  }
  // Several dumps of one tool have stacks and no counters: that is one source.
  return rests && known && named && stacks && job.samples > 1 && !job.imported() ? Confidence::likely
                                                                                 : Confidence::possible;
}

void observe_split(model::Verdict& verdict, const JobFacts& job, const Outsiders& split, const RankSet& culprits) {
  append(verdict.observations, places_of(job, culprits));
  append(verdict.observations, children_of(job, culprits));
  append(verdict.observations, waiting_in_operations(job));
  append(verdict.observations, places_of(job, job.device.minus(culprits)));
  append(verdict.observations, places_of(job, job.outside.minus(culprits)));
  append(verdict.observations, recorded_operations(job));
  append(verdict.observations, launched_on_communicators(job));
  append(verdict.observations, gloo_work(job));
  append(verdict.observations, rest_of(job, split.waiting.minus(culprits)));
  append(verdict.observations, rest_of(job, culprits));
  for (const auto& [text, ranks] : split.placements) {
    verdict.observations.push_back({"program order: " + text, ranks, "stacks"});
  }
  append(verdict.observations, pending_signals(job));
  append(verdict.observations, roll_call(job));
  const RankSet moved_inside = split.waiting.minus(split.waiting.minus(job.moved));
  if (!moved_inside.empty()) {
    verdict.against.push_back(
        fmt::format("{} moved between the samples, though inside the operation now", job.who(moved_inside)));
  }
  for (auto& doubt : doubts(job)) verdict.against.push_back(std::move(doubt));
}

}  // namespace hangstack::classifiers
