// unknown: no rule decides. Says what was seen and what would decide.
//
// All ranks in one operation: the network, different sizes or another group's operation look alike from outside; the
// operations' records would tell. All ranks idle alike: a healthy server waits like that too.

#include <fmt/format.h>

#include "classifiers/evidence/inside_process.h"
#include "classifiers/evidence/observations.h"
#include "classifiers/patterns/pattern.h"
#include "model/duration.h"

namespace hangstack::classifiers {
namespace {

using model::Alternative;
using model::Confidence;
using model::Hung;
using model::RankSet;
using model::Verdict;

bool all_inside(const JobFacts& job) {
  return !job.inside.empty() && job.outside.empty() && job.device.empty() && job.blind.empty();
}

RankSet seen(const JobFacts& job) {
  RankSet set;
  for (const auto& rank : job.ranks) set.insert(rank.number);
  return set;
}

std::string movement_text(const JobFacts& job) {
  if (job.samples == 1) return "one sample does not say whether it moves";
  if (job.moved.empty() && !job.unmoved.empty()) {
    return fmt::format("nothing moved in {} samples over {}", job.samples, model::duration(job.span_s));
  }
  return fmt::format("{} of {} moved", job.moved.size(), job.ranks.size());
}

void all_in_one_operation(Verdict& verdict, const JobFacts& job) {
  const auto& operation = job.operations.front();
  const bool everybody = job.missing.empty();
  decide_hung(verdict, job, job.inside);
  verdict.shape = everybody ? "all ranks in the same operation" : "all ranks seen here in the same operation";
  const auto site = operation.sites.size() == 1 ? operation.main_site() : std::string();
  if (job.ranks.size() == 1) {
    verdict.summary = fmt::format("{} waits in {}{}; no other rank of the job was read.", job.who(job.inside),
                                  operation.title, site.empty() ? "" : " at " + site);
  } else {
    verdict.summary =
        fmt::format("{} ranks{} wait in {}{}; stacks alone do not say for whom.",
                    everybody ? "All" : fmt::format("{}", job.inside.size()), everybody ? "" : " were read, and all",
                    operation.title, site.empty() ? "" : " at " + site);
  }
  if (!job.untraced().empty() || (everybody && job.ranks.size() == 1)) {
    verdict.next_steps.push_back(
        {"the other ranks of the job: run hangstack on every host that has some", "hangstack"});
  }
  verdict.next_steps.push_back({"compare the operations' records: sequence number, sizes, group of each rank",
                                "torchfrtrace on the flight recorder's dumps"});
}

void nothing_pending(Verdict& verdict, const JobFacts& job) {
  const RankSet all = seen(job);
  const RankFacts& first = job.ranks.front();
  verdict.hung = Hung::undecided;
  verdict.since_s = job.stuck_for(all);
  verdict.shape = job.single() ? "one process" : "nobody waits for peers";
  verdict.summary =
      fmt::format("{} {}{}; {}.", job.who(all), job.ranks.size() == 1 ? "" : "wait or run apart: the first ",
                  doing(job, first.number), movement_text(job));
  const StateKind kind = first.state().kind;
  if (kind == StateKind::event_loop || kind == StateKind::queue || kind == StateKind::sleep || kind == StateKind::io) {
    verdict.against.emplace_back("a healthy process without work waits like this too");
  }
}

std::vector<Alternative> alternatives_of(const JobFacts& job) {
  if (!all_inside(job)) return {};
  std::vector<Alternative> out = {
      {"network_fault", Confidence::possible, "a link that stands still looks the same from here"},
      {"collective_mismatch", Confidence::possible,
       "different sizes or another order of groups look the same from "
       "here"}};
  if (!job.missing.empty()) {
    out.push_back({"host_straggler", Confidence::possible,
                   fmt::format("{} was not read and may be outside the operation", job.who(job.missing))});
  }
  if (!job.untraced().empty()) {
    out.push_back({"rank_died", Confidence::possible,
                   fmt::format("{} may have ended: look at the hosts that should run it", job.who(job.untraced()))});
  }
  return out;
}

}  // namespace

Ruling judge_unknown(const JobFacts& job) {
  Verdict verdict;
  verdict.pattern = "unknown";
  verdict.confidence = Confidence::unknown;
  verdict.reference = "docs/verdicts.md#unknown";
  if (job.ranks.empty()) {
    verdict.summary = "No process could be read.";
    verdict.next_steps.push_back({"see the reasons under NOT READ", ""});
    return {verdict, {}, "no process was read"};
  }
  if (all_inside(job) && job.operations.size() == 1) {
    all_in_one_operation(verdict, job);
  } else if (!job.operations.empty() || !job.device.empty()) {
    const RankSet waiting = job.inside.united(job.device);
    decide_hung(verdict, job, waiting);
    verdict.shape = "several places";
    verdict.summary = fmt::format("{} for peers or the device in {} place(s); {}.", job.subject(waiting, "wait"),
                                  job.operations.size() + (job.device.empty() ? 0 : 1), movement_text(job));
  } else {
    nothing_pending(verdict, job);
  }
  append(verdict.observations, waiting_in_operations(job));
  append(verdict.observations, places_of(job, seen(job).minus(job.inside)));
  append(verdict.observations, gloo_work(job));
  append(verdict.observations, rest_of(job, seen(job)));
  append(verdict.observations, gil_facts(job));
  append(verdict.observations, shared_locks(job));
  append(verdict.observations, other_threads(job));
  append(verdict.observations, pending_signals(job));
  append(verdict.observations, roll_call(job));
  for (auto& doubt : doubts(job)) verdict.against.push_back(std::move(doubt));
  if (!verdict.since_s || job.samples == 1) {
    verdict.next_steps.push_back({"does anything move, over a longer time?", "hangstack --samples 3 --gap 30"});
  }
  verdict.next_steps.push_back(
      {"all threads with their whole stacks", fmt::format("hangstack {} --full", pids_option(job, seen(job)))});
  return {verdict, alternatives_of(job), "no other rule fired"};
}

}  // namespace hangstack::classifiers
