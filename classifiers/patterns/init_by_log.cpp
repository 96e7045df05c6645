// init_bootstrap where NCCL's log is all there is: ranks began a communicator that did not come about.
//
// Evidence: "Init START" without "Init COMPLETE", by NCCL's id of the communicator. Cannot know: whether a rank without
// a line never came, or has no log here.

#include <fmt/format.h>

#include "classifiers/evidence/logged.h"
#include "classifiers/evidence/observations.h"
#include "classifiers/patterns/pattern.h"

namespace hangstack::classifiers {

using model::Confidence;
using model::RankSet;
using model::Verdict;

Ruling judge_init_by_log(const JobFacts& job) {
  if (!job.records_alone()) return {{}, {}, "there are stacks, or no log"};
  const auto inits = unfinished_inits(job);
  if (inits.empty()) return {{}, {}, "no log tells of a communicator that did not come about"};
  const UnfinishedInit& init = inits.front();
  // Of a smaller one the log does not tell whose number is which.
  const bool of_all = job.world_size == init.ranks;
  const RankSet never = of_all ? init.never() : RankSet{};
  Verdict verdict;
  verdict.pattern = "init_bootstrap";
  verdict.confidence = Confidence::possible;
  verdict.culprit_ranks = never;
  verdict.shape = never.empty() ? "begun and not complete" : "a rank never began";
  const std::string rest = of_all ? never.empty() ? std::string("all of its ranks began it")
                                                  : job.subject(never, "never began it", "never began it")
                                  : fmt::format("{} of its ranks began it", init.began.size());
  verdict.summary =
      fmt::format("NCCL communicator {:#x} of {} ranks did not come about: {}, {} made it.", init.communicator,
                  init.ranks, rest, init.complete.empty() ? "none" : fmt::format("{}", init.complete.size()));
  decide_hung(verdict, job, {});
  append(verdict.observations, roll_call(job));
  for (auto& doubt : doubts(job)) verdict.against.push_back(std::move(doubt));
  if (!never.empty())
    verdict.against.emplace_back("a rank without NCCL_DEBUG=INFO, or whose log is not here, tells nothing");
  verdict.next_steps.push_back(
      {never.empty() ? "where do they stand? the stacks, on each host"
                     : fmt::format("where {}? the stacks, on that host", job.subject(never, "is", "are")),
       on_its_hosts(job)});
  verdict.verification.emplace_back("each rank's log has \"Init COMPLETE\" of that communicator");
  return {verdict,
          {{"host_straggler", Confidence::possible, "a rank that is elsewhere has not begun it either"}},
          fmt::format("communicator {:#x}: {} of {} began, {} made it", init.communicator, init.began.size(),
                      init.ranks, init.complete.size())};
}

}  // namespace hangstack::classifiers
