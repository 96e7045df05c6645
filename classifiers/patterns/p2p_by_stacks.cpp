// p2p_unmatched without records: all ranks that were read wait in send or recv, so nobody is left to bring the other
// end.

#include <fmt/format.h>

#include "classifiers/evidence/observations.h"
#include "classifiers/patterns/by_stacks.h"
#include "classifiers/patterns/pattern.h"

namespace hangstack::classifiers {

using model::Confidence;

Ruling judge_p2p_by_stacks(const JobFacts& job) {
  if (!stacks_decide(job)) return {{}, {}, "not all ranks wait"};
  if (job.operations.empty() || !all_of_kind(job, StateKind::p2p))
    return {{}, {}, "no rank waits in send or recv, or some in other operations"};
  std::string titles;
  for (const PendingOperation& operation : job.operations) titles += (titles.empty() ? "" : " or ") + operation.title;
  auto verdict =
      by_stacks(job, "p2p_unmatched", job.inside.united(job.device),
                fmt::format("{} in {}, and {}: a send and a recv do not meet; the first {}.",
                            job.subject(job.inside, "waits", "wait"), titles,
                            job.ranks.size() == 1 ? "no other rank was read" : "no rank that was read is elsewhere",
                            doing(job, *job.inside.ranks().begin())));
  verdict.shape = "all in send or recv";
  verdict.next_steps.push_back(
      {"which peer does each transfer name? the flight recorder's dump of each rank, beside "
       "these stacks",
       "hangstack import stacks/ dumps/"});
  verdict.verification.emplace_back("for each send there is a recv on the peer, in the same order, of the same group");
  Ruling ruling{verdict, {}, fmt::format("{} in {}", job.who(job.inside), titles)};
  ruling.alternatives.push_back({"p2p_hang_after_abort", Confidence::possible,
                                 "a peer that is not among these may have destroyed its process group"});
  ruling.alternatives.push_back(
      {"nccl_timeout", Confidence::possible, "a link that stands still looks the same from the host"});
  return ruling;
}

}  // namespace hangstack::classifiers
