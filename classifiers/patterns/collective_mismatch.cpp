// collective_mismatch: ranks of one group are in different collectives at the same sequence number, or in the same one
// with tensors that cannot go together.
//
// Evidence: the ranks' flight recorders (what each has begun and not finished), what NCCL counts for each communicator,
// stacks and the kernel's counters (they do not move). Stacks alone cannot tell it from a slow network. Cannot know:
// which side is the right one; with more than two ranks the smaller side is named.

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "classifiers/evidence/launched.h"
#include "classifiers/evidence/observations.h"
#include "classifiers/evidence/recorded.h"
#include "classifiers/patterns/pattern.h"
#include "classifiers/patterns/sides.h"

namespace hangstack::classifiers {
namespace {

using model::RankSet;
using model::RecordedOperation;
using model::Verdict;

/// Collectives whose members bring equally many elements (torch/distributed/distributed_c10d.py, 2.15).
bool needs_equal_inputs(const std::string& name) {
  static const std::set<std::string> kNames{"all_reduce",       "broadcast",      "reduce",    "all_gather",
                                            "_all_gather_base", "reduce_scatter", "allreduce", "_reduce_scatter_base",
                                            "allgather"};
  return kNames.contains(name);
}

/// What must be equal on all members.
std::string essence(const RecordedOperation& operation) {
  std::string text = operation.name;
  if (!needs_equal_inputs(operation.name)) return text;
  for (const auto& tensor : operation.inputs) {
    std::int64_t elements = 1;
    for (const std::int64_t size : tensor.sizes) {
      if (size < 0 || __builtin_mul_overflow(elements, size, &elements)) return text;
    }
    text += fmt::format(" {} {}", elements, tensor.dtype);
  }
  return text;
}

/// The sides of one sequence number, the smaller first.
struct Mismatch {
  const PendingGroup* group = nullptr;
  std::uint64_t sequence = 0;
  struct Side {
    const RecordedOperation* operation = nullptr;
    RankSet ranks;
  };
  std::vector<Side> sides;
};

RankSet ranks_of(const auto& sides) {
  RankSet all;
  for (const auto& side : sides) all = all.united(side.ranks);
  return all;
}

RankSet culprits_of(const auto& sides) {
  std::vector<RankSet> ranks;
  for (const auto& side : sides) ranks.push_back(side.ranks);
  return smaller_sides(ranks);
}

/// `sides` by what tells them apart, as a list that ascends by size.
template <typename Side>
std::vector<Side> by_size(std::map<std::string, Side>& sides) {
  std::vector<Side> list;
  for (auto& [essential, side] : sides) list.push_back(std::move(side));
  std::ranges::stable_sort(list, {}, [](const Side& side) { return side.ranks.size(); });
  return list;
}

/// The first sequence number at which ranks are in different operations.
std::optional<Mismatch> mismatch_in(const PendingGroup& group) {
  std::map<std::uint64_t, std::map<std::string, Mismatch::Side>> at;
  for (const auto& [rank, operation] : group.pending) {
    Mismatch::Side& side = at[operation->sequence][essence(*operation)];
    side.operation = operation;
    side.ranks.insert(rank);
  }
  for (auto& [sequence, sides] : at) {
    if (sides.size() < 2) continue;
    return Mismatch{&group, sequence, by_size(sides)};
  }
  return std::nullopt;
}

void advise(Verdict& verdict, const JobFacts& job) {
  verdict.next_steps.push_back({fmt::format("what led {} there? the whole stacks", job.who(verdict.culprit_ranks)),
                                at_ranks(job, verdict.culprit_ranks, "--full")});
  verdict.verification.emplace_back(
      "all members of the group call the same operation with fitting sizes, in one order");
}

Verdict verdict_on(const JobFacts& job, const Mismatch& mismatch) {
  const RankSet waiting = ranks_of(mismatch.sides);
  Verdict verdict;
  verdict.pattern = "collective_mismatch";
  verdict.culprit_ranks = culprits_of(mismatch.sides);
  const bool same_name = mismatch.sides.front().operation->name == mismatch.sides.back().operation->name;
  verdict.shape = same_name ? "different sizes" : "different operations";
  constexpr std::size_t kMostTold = 4;
  const std::size_t sides = mismatch.sides.size();
  for (std::size_t i = 0; i < sides; ++i) {
    // The largest is the last.
    if (i >= kMostTold - 1 && i + 1 < sides) continue;
    const Mismatch::Side& side = mismatch.sides[i];
    verdict.summary +=
        fmt::format("{}{} in {}", verdict.summary.empty() ? "" : ", ", job.subject(side.ranks, "is", "are"),
                    operation_text(*mismatch.group, *side.operation));
  }
  if (sides > kMostTold) verdict.summary += fmt::format(", others in {} more", sides - kMostTold);
  verdict.summary += ".";
  argue_by_records(verdict, job, waiting);
  advise(verdict, job);
  return verdict;
}

/// Ranks that have launched equally many collectives on one communicator, and not the same: the rarer first.
struct LaunchedApart {
  const SharedCommunicator* communicator = nullptr;
  struct Side {
    const model::Communicator* example = nullptr;
    RankSet ranks;
  };
  std::vector<Side> sides;
};

std::optional<LaunchedApart> launched_apart(const JobFacts& job) {
  const RankSet waiting = job.inside.united(job.device);
  for (const SharedCommunicator& communicator : job.unequal_communicators) {
    std::map<std::uint64_t, std::map<std::string, LaunchedApart::Side>> by_count;
    for (const auto& [rank, communicator_side] : communicator.sides) {
      if (!waiting.contains(rank) || job.moved.contains(rank)) continue;
      LaunchedApart::Side& side = by_count[communicator_side->launched_in_all()][launches_text(*communicator_side)];
      side.example = communicator_side;
      side.ranks.insert(rank);
    }
    for (auto& [count, sides] : by_count)
      if (sides.size() > 1) return LaunchedApart{&communicator, by_size(sides)};
  }
  return std::nullopt;
}

Verdict verdict_on(const JobFacts& job, const LaunchedApart& apart) {
  const RankSet waiting = ranks_of(apart.sides);
  const LaunchedApart::Side& rarest = apart.sides.front();
  const LaunchedApart::Side& largest = apart.sides.back();
  Verdict verdict;
  verdict.pattern = "collective_mismatch";
  verdict.shape = "different operations";
  verdict.culprit_ranks = culprits_of(apart.sides);
  verdict.summary =
      fmt::format("{} launched {}, {} {}: as many collectives on {}, and not the same ones.",
                  job.subject(rarest.ranks, "has", "have"), launches_text(*rarest.example), job.who(largest.ranks),
                  launches_text(*largest.example), communicator_text(*apart.communicator));
  if (apart.sides.size() > 2) verdict.summary += fmt::format(" {} more ways are under SEEN.", apart.sides.size() - 2);
  argue_by_records(verdict, job, waiting);
  advise(verdict, job);
  return verdict;
}

Ruling judge_launches(const JobFacts& job) {
  const auto apart = launched_apart(job);
  if (!apart)
    return {{}, {}, "no flight recorder has an unfinished collective, and NCCL counts no others on different ranks"};
  return {verdict_on(job, *apart),
          {},
          fmt::format("{} ranks launched other collectives on {}", apart->sides.size(),
                      communicator_text(*apart->communicator))};
}

}  // namespace

Ruling judge_collective_mismatch(const JobFacts& job) {
  const std::vector<PendingGroup>& groups = job.pending_groups;
  if (groups.empty()) return judge_launches(job);
  for (const PendingGroup& group : groups) {
    const auto mismatch = mismatch_in(group);
    if (!mismatch) continue;
    return {verdict_on(job, *mismatch),
            {},
            fmt::format("{} different operations at #{} of group \"{}\"", mismatch->sides.size(), mismatch->sequence,
                        mismatch->group->name)};
  }
  return {{}, {}, "what is unfinished at one sequence number is the same operation"};
}

}  // namespace hangstack::classifiers
