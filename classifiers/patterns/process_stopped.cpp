// process_stopped: a rank does not run because a signal stopped it (T) or a debugger holds it (t).
//
// Evidence: the kernel's state letter, a fact inside one process, hence "certain"; "likely" where its peers had waited
// long before the stop. Not claimed when the stopped rank stands in the very operation that its peers wait in while
// another rank stands outside: letting it go on would not free the job. Cannot know: who sent the signal.

#include <fmt/format.h>

#include "classifiers/evidence/observations.h"
#include "classifiers/patterns/pattern.h"
#include "model/duration.h"

namespace hangstack::classifiers {
namespace {

using model::Confidence;
using model::Hung;
using model::RankSet;
using model::Verdict;

std::string holder_of(const JobFacts& job, const RankSet& traced) {
  const auto& process = job.rank(*traced.ranks().begin())->process->last();
  if (process.tracer_pid == 0) return "a debugger";
  if (process.tracer_name.empty()) return fmt::format("its tracer, pid {}", process.tracer_pid);
  return fmt::format("{} (pid {})", process.tracer_name, process.tracer_pid);
}

/// Stopped ranks that are already where the others wait, with somebody else still outside.
bool somebody_else_is_missing(const JobFacts& job, const RankSet& held) {
  if (job.outside.minus(job.moved).empty() || job.operations.empty()) return false;
  for (const int n : held.ranks()) {
    if (job.rank(n)->state().title != job.operations.front().title) return false;
  }
  return true;
}

void add_steps(Verdict& verdict, const JobFacts& job) {
  if (!job.stopped.empty()) {
    std::string command = "kill -CONT";
    int count = 0;
    for (const int n : job.stopped.ranks()) {
      if (++count <= 8) command += fmt::format(" {}", job.rank(n)->process->last().pid);
    }
    verdict.next_steps.push_back({"let it go on, once you know who stopped it", command});
  }
  if (!job.traced.empty()) {
    verdict.next_steps.push_back({fmt::format("detach or continue in {}", holder_of(job, job.traced)), ""});
  }
  verdict.next_steps.push_back(
      {"who stopped it: shell job control, a checkpoint tool, the batch system, the cgroup?", ""});
  verdict.verification.emplace_back("its state is no longer T or t, and all ranks move in two samples");
}

std::string summary_of(const JobFacts& job, const RankSet& held) {
  const std::string how = job.traced.empty()    ? "stopped by a signal"
                          : job.stopped.empty() ? "held by " + holder_of(job, job.traced)
                                                : "stopped by a signal or a debugger";
  return fmt::format("{} {}{}.", job.subject(held, "is", "are"), how, waiting_peers(job, held));
}

/// How long its peers had waited when it was stopped, if that was long.
std::optional<double> waited_before(const JobFacts& job, const RankSet& held) {
  const auto stopped_s = job.least_sleep(held);
  const auto waited_s = job.least_sleep(job.inside.minus(held));
  if (!stopped_s || !waited_s || *waited_s - *stopped_s < kLeastAge_s) return std::nullopt;
  return *waited_s - *stopped_s;
}

}  // namespace

Ruling judge_process_stopped(const JobFacts& job) {
  const RankSet held = job.stopped.united(job.traced);
  if (held.empty()) return {{}, {}, "no rank is in state T or t"};
  if (somebody_else_is_missing(job, held)) {
    return {{},
            {{"process_stopped", Confidence::possible,
              fmt::format("{} is stopped, but inside {}; {} is outside it and holds up the job all the same",
                          job.who(held), job.operations.front().title, job.who(job.outside))}},
            fmt::format("{} stopped inside the pending operation while {} stands outside", job.who(held),
                        job.who(job.outside))};
  }
  Verdict verdict;
  verdict.hung = Hung::yes;
  verdict.pattern = "process_stopped";
  verdict.shape = job.traced.empty() ? "stopped by a signal" : "held by a debugger";
  verdict.confidence = Confidence::certain;
  verdict.culprit_ranks = held;
  verdict.since_s = job.least_sleep(held);
  verdict.summary = summary_of(job, held);
  if (!job.stopped.empty()) {
    verdict.observations.push_back({"kernel state T (stopped by a signal)", job.stopped, "/proc"});
  }
  if (!job.traced.empty()) {
    verdict.observations.push_back(
        {fmt::format("kernel state t, traced by {}", holder_of(job, job.traced)), job.traced, "/proc"});
  }
  append(verdict.observations, places_of(job, held));
  append(verdict.observations, waiting_in_operations(job));
  append(verdict.observations, rest_of(job, job.inside));
  append(verdict.observations, pending_signals(job));
  append(verdict.observations, roll_call(job));
  if (!job.moved.minus(held).empty()) {
    verdict.against.push_back(fmt::format("{} still moved between the samples", job.who(job.moved.minus(held))));
  }
  if (const auto before_s = waited_before(job, held)) {
    verdict.confidence = Confidence::likely;
    verdict.against.push_back(
        fmt::format("{} had waited {} already when it was stopped: the hang may be older, with another cause",
                    job.who(job.inside.minus(held)), model::duration(*before_s)));
  }
  add_steps(verdict, job);
  std::vector<model::Alternative> alternatives;
  if (const Ruling death = judge_rank_died(job); death.verdict) {
    const std::string gone = job.subject(death.verdict->culprit_ranks, "is", "are") + " gone";
    verdict.against.push_back(gone + ": letting the others go on may not be enough");
    alternatives.push_back({"rank_died", death.verdict->confidence, gone + " too"});
  }
  return {verdict, alternatives, fmt::format("{} in state {}", job.who(held), job.stopped.empty() ? "t" : "T")};
}

}  // namespace hangstack::classifiers
