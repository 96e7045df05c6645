// host_straggler over two jobs that share a communicator of NCCL: trainers that send their weights to inference
// workers, launched apart. The verdict of the job that waits says in which job the late ranks are; the verdict of that
// job blames them.
//
// Evidence: NCCL's memory (who has launched less on the communicator that both hold) and stacks (who waits for peers
// or the device, who does neither). Cannot know: the cause behind the place where the late ranks stand.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "classifiers/evidence/launched.h"
#include "classifiers/evidence/observations.h"
#include "classifiers/patterns/pattern.h"

namespace hangstack::classifiers {
namespace {

using model::Confidence;
using model::Hung;
using model::RankSet;
using model::Verdict;

bool waits(const ProcessFacts& process) {
  const ThreadState& state = process.state();
  return state.kind == StateKind::device || waits_for_peers(state.kind);
}

/// Who is behind on `joint`, and who waits for them, in this job and in others.
struct Split {
  RankSet ahead;
  RankSet behind;
  std::vector<RankElsewhere> ahead_elsewhere;
  std::vector<RankElsewhere> behind_elsewhere;
  bool plain = true;  ///< those ahead wait, those behind do not
};

Split split_of(const JobFacts& job, const JointCommunicator& joint) {
  Split split;
  const std::uint64_t most = joint.most_launched();
  const auto is_ahead = [&](const model::Communicator& side) { return side.launched_in_all() == most; };
  for (const auto& [rank, side] : joint.here) {
    (is_ahead(*side) ? split.ahead : split.behind).insert(rank);
    split.plain = split.plain && is_ahead(*side) == waits(*job.rank(rank)->process);
  }
  for (const RankElsewhere& other : joint.elsewhere) {
    (is_ahead(*other.side) ? split.ahead_elsewhere : split.behind_elsewhere).push_back(other);
    split.plain = split.plain && is_ahead(*other.side) == waits(*other.process);
  }
  return split;
}

/// "ranks 0-1 of the job 10.0.0.1:29500"; `others` must not be empty.
std::string who(const std::vector<RankElsewhere>& others) {
  RankSet ranks;
  for (const RankElsewhere& other : others) ranks.insert(other.rank);
  const std::string& job = others.front().job;
  return fmt::format("{} {} of {}", ranks.size() == 1 ? "rank" : "ranks", ranks.folded(),
                     job.empty() ? "another job" : "the job " + job);
}

void observe(Verdict& verdict, const JobFacts& job, const JointCommunicator& joint) {
  std::map<std::string, RankSet> launched;
  for (const auto& [rank, side] : joint.here) launched[launches_text(*side)].insert(rank);
  for (const auto& [text, ranks] : launched) {
    verdict.observations.push_back(
        {fmt::format("launched {} on {}", text, communicator_text(joint)), ranks, std::string(kNcclMemory)});
  }
  std::map<std::pair<std::string, std::string>, std::vector<RankElsewhere>> alike;
  for (const RankElsewhere& other : joint.elsewhere)
    alike[{launches_text(*other.side), doing(*other.process)}].push_back(other);
  for (const auto& [texts, others] : alike) {
    verdict.observations.push_back(
        {fmt::format("{} launched {} on it", who(others), texts.first), {}, std::string(kNcclMemory)});
    verdict.observations.push_back(
        {fmt::format("{}{} {}", others.size() > 1 ? "each of " : "", who(others), texts.second), {}, "stacks"});
  }
  RankSet here;
  for (const auto& [rank, side] : joint.here) here.insert(rank);
  append(verdict.observations, places_of(job, here));
  append(verdict.observations, rest_of(job, here));
  append(verdict.observations, roll_call(job));
  for (auto& doubt : doubts(job)) verdict.against.push_back(std::move(doubt));
}

bool stands(const ProcessFacts& process) { return process.moved.has_value() && !*process.moved; }

std::string pids_of(const std::vector<RankElsewhere>& others) {
  std::string pids;
  for (std::size_t i = 0; i < others.size() && i < 8; ++i) pids += fmt::format(" {}", others[i].process->last().pid);
  return pids;
}

/// The ranks that are late are in another job.
Verdict of_those_that_wait(const JobFacts& job, const JointCommunicator& joint, const Split& split) {
  Verdict verdict;
  verdict.shape = "in another job";
  decide_hung(verdict, job, split.ahead);
  verdict.summary = fmt::format("{} for {}: they share {}, and have launched less on it. The first of them {}.",
                                job.subject(split.ahead, "wait"), who(split.behind_elsewhere), communicator_text(joint),
                                doing(*split.behind_elsewhere.front().process));
  verdict.next_steps.push_back({"why are they there? their whole stacks, on their host",
                                fmt::format("hangstack --pids{} --full", pids_of(split.behind_elsewhere))});
  verdict.verification.push_back(fmt::format("the next operation of {} on the communicator lets {} go on",
                                             who(split.behind_elsewhere), job.who(split.ahead)));
  return verdict;
}

/// The ranks that are late are in this one.
Verdict of_those_behind(const JobFacts& job, const JointCommunicator& joint, const Split& split) {
  Verdict verdict;
  verdict.shape = "outside an operation with another job";
  verdict.culprit_ranks = split.behind;
  decide_hung(verdict, job, split.behind);
  const bool one = split.behind.size() == 1;
  verdict.summary = fmt::format("{} less than {} on {}, which they share, and {} not in it: {} {}.",
                                job.subject(split.behind, "has launched", "have launched"), who(split.ahead_elsewhere),
                                communicator_text(joint), one ? "is" : "are", one ? "it" : "the first of them",
                                doing(job, *split.behind.ranks().begin()));
  verdict.next_steps.push_back({"why are they there? their whole stacks, in several samples",
                                at_ranks(job, split.behind, "--full --samples 3 --gap 30")});
  verdict.verification.push_back(
      fmt::format("{} the next operation on the communicator", job.subject(split.behind, "launches", "launch")));
  return verdict;
}

}  // namespace

Ruling judge_joined_jobs(const JobFacts& job) {
  if (job.joint.empty()) return {{}, {}, "it shares no communicator with another job, as far as memory tells"};
  for (const JointCommunicator& joint : job.joint) {
    const Split split = split_of(job, joint);
    if (!split.plain) continue;
    Verdict verdict;
    if (split.behind.empty() && !split.ahead.empty() && !split.behind_elsewhere.empty())
      verdict = of_those_that_wait(job, joint, split);
    else if (split.ahead.empty() && !split.behind.empty() && !split.ahead_elsewhere.empty())
      verdict = of_those_behind(job, joint, split);
    else
      continue;
    verdict.pattern = "host_straggler";
    const auto& late = split.behind_elsewhere;
    bool still = std::ranges::all_of(late, [](const RankElsewhere& other) { return stands(*other.process); });
    still = still && split.behind.minus(job.unmoved).empty();
    const bool waits_still =
        split.ahead.minus(job.unmoved).empty() &&
        std::ranges::all_of(split.ahead_elsewhere, [](const RankElsewhere& other) { return stands(*other.process); });
    verdict.confidence = waits_still && doubts(job).empty() ? Confidence::likely : Confidence::possible;
    if (!still) {
      verdict.hung = Hung::undecided;
      verdict.against.emplace_back("the late ranks run: they may still arrive, or be in a loop that never ends");
    }
    observe(verdict, job, joint);
    return {
        verdict, {}, fmt::format("{} is shared with another job, and one side is behind", communicator_text(joint))};
  }
  return {{}, {}, "on what it shares with another job nobody waits for somebody who is behind"};
}

}  // namespace hangstack::classifiers
