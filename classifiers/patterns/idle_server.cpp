// not_hung: a server without a request. One rank, or few, wait for requests; the others wait for the command that the
// next request will bring them.
//
// Evidence: stacks (the loop of a server outside, broadcasts or receives inside). Cannot know: whether a request is
// open, and stands in a thread of the server that waits for these very ranks. So it stays undecided.

#include <fmt/format.h>

#include <algorithm>

#include "classifiers/evidence/observations.h"
#include "classifiers/patterns/outsiders.h"
#include "classifiers/patterns/pattern.h"

namespace hangstack::classifiers {
namespace {

using model::Confidence;
using model::Hung;
using model::RankSet;
using model::Verdict;

/// In which one rank tells the others what to do.
bool brings_commands(const PendingOperation& operation) {
  return operation.title.find("broadcast") != std::string::npos || operation.title.starts_with("recv");
}

}  // namespace

Ruling judge_idle_server(const JobFacts& job) {
  const RankSet& servers = job.outside;
  if (job.inside.empty()) return {{}, {}, "no rank waits for peers"};
  if (servers.empty() || !all_serve(job, servers)) return {{}, {}, "those outside are not all in the loop of a server"};
  if (!job.device.empty() || !job.blind.empty()) return {{}, {}, "not everybody waits for a command"};
  if (!std::ranges::all_of(job.operations, brings_commands))
    return {{}, {}, "what the others wait in does not bring them commands"};
  const Outsiders split = outsiders_of(job);
  Verdict verdict;
  verdict.pattern = "not_hung";
  verdict.shape = "a server without a request";
  verdict.confidence = Confidence::possible;
  decide_hung(verdict, job, split.waiting);
  verdict.hung = Hung::undecided;
  verdict.summary = fmt::format("{} for requests; {} in {}, for the command of the next one.",
                                job.subject(servers, "wait"), job.subject(job.inside, "wait"), split.operation);
  observe_split(verdict, job, split, servers);
  verdict.against.emplace_back(
      "a request that was taken by another thread of the server, and is not answered, looks so");
  verdict.next_steps.push_back({"what do the server's other threads do?", at_ranks(job, servers, "--all-threads")});
  verdict.next_steps.push_back(
      {"send it a request. If it is not answered, it hangs: look again", again(job, "--samples 3 --gap 30")});
  verdict.verification.emplace_back("a request that is sent now is answered");
  return {verdict, {}, fmt::format("{} in the loop of a server", job.subject(servers, "is", "are"))};
}

}  // namespace hangstack::classifiers
