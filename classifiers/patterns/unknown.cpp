// unknown: no rule decides. Says what was seen and what would decide.
//
// All ranks in one operation: the network, different sizes or another group's operation look alike from outside; the
// operations' records would tell. All ranks idle alike: a healthy server waits like that too.

#include <fmt/format.h>

#include "classifiers/evidence/children.h"
#include "classifiers/evidence/inside_process.h"
#include "classifiers/evidence/launched.h"
#include "classifiers/evidence/logged.h"
#include "classifiers/evidence/observations.h"
#include "classifiers/evidence/recorded.h"
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

/// ", from different calls: rank 0 at a.py:38, rank 1 at a.py:39"
std::string calls_of(const JobFacts& job, const PendingOperation& operation) {
  constexpr std::size_t kMostTold = 3;
  if (operation.sites.size() < 2) return {};
  std::string text = ", from different calls: ";
  std::size_t told = 0;
  for (const auto& [site, ranks] : operation.sites) {
    if (told == kMostTold) return text + ", ...";
    text +=
        fmt::format("{}{} at {}", told++ == 0 ? "" : ", ", job.who(ranks), site.empty() ? "an unknown place" : site);
  }
  return text;
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
        fmt::format("{} ranks{} wait in {}{}; {}.", everybody ? "All" : fmt::format("{}", job.inside.size()),
                    everybody ? "" : " were read, and all", operation.title,
                    site.empty() ? calls_of(job, operation) : " at " + site,
                    operation.title == "recv" ? "none of them sends" : "stacks alone do not say for whom");
  }
  if (!job.untraced().empty() || (everybody && job.ranks.size() == 1)) {
    verdict.next_steps.push_back(
        {"the other ranks of the job: run hangstack on every host that has some", on_its_hosts(job)});
  }
  if (operation.kind == StateKind::collective && job.pending_groups.empty()) {
    verdict.next_steps.push_back({"compare the operations' records: sequence number, sizes, group of each rank",
                                  "torchfrtrace on the flight recorder's dumps"});
  }
}

void nothing_pending(Verdict& verdict, const JobFacts& job) {
  const RankSet all = seen(job);
  const RankFacts& first = job.ranks.front();
  verdict.hung = Hung::undecided;
  verdict.since_s = job.stuck_for(all);
  verdict.shape = job.single() ? "one process" : "nobody waits for peers";
  const bool at_one_place = first.state().site && job.blind.empty() && places_of(job, all).size() == 1;
  const char* apart = job.ranks.size() == 1 ? ""
                      : at_one_place        ? "are at one place: each "
                                            : "wait or run apart: the first ";
  verdict.summary = fmt::format("{} {}{}; {}.", job.who(all), apart, doing(job, first.number), movement_text(job));
  const StateKind kind = first.state().kind;
  if (kind == StateKind::event_loop || kind == StateKind::queue || kind == StateKind::sleep || kind == StateKind::io) {
    verdict.against.emplace_back("a healthy process without work waits like this too");
  }
}

/// "None of the 2 processes could be read; the first: pid 7: it belongs to user 1000, ..."
std::string nothing_read(const JobFacts& job) {
  if (job.failed.empty()) return "No process could be read.";
  const std::string& why = job.failed.front()->error.message;
  if (job.failed.size() == 1) return fmt::format("The process could not be read: {}.", why);
  return fmt::format("None of the {} processes could be read; the first: {}.", job.failed.size(), why);
}

std::vector<Alternative> alternatives_of(const JobFacts& job) {
  if (!all_inside(job)) return {};
  std::vector<Alternative> out;
  const PendingOperation& operation = job.operations.front();
  if (operation.kind == StateKind::collective) {
    out = {{"network_fault", Confidence::possible, "a link that stands still looks the same from here"},
           {"collective_mismatch", Confidence::possible, "different sizes look the same from here"},
           {"cross_group_order", Confidence::possible,
            operation.sites.size() > 1 ? "the calls differ: likely so if they are of different groups"
                                       : "another order of groups looks the same from here"}};
  }
  if (!job.missing.empty()) {
    out.push_back(
        {"host_straggler", Confidence::possible,
         fmt::format("{} not read and may be outside the operation", job.subject(job.missing, "was", "were"))});
  }
  if (!job.untraced().empty()) {
    out.push_back({"rank_died", Confidence::possible,
                   fmt::format("{} may have ended: look at the hosts that should run it", job.who(job.untraced()))});
  }
  return out;
}

/// No stack of anybody: what the dumps hold, and who has none.
Ruling records_alone(const JobFacts& job, Verdict verdict) {
  RankSet waiting;
  for (const PendingGroup& group : job.pending_groups)
    for (const auto& [rank, operation] : group.pending) waiting.insert(rank);
  decide_hung(verdict, job, waiting);
  verdict.shape = "dumps alone";
  verdict.summary =
      waiting.empty()
          ? fmt::format("No collective is unfinished in the dumps of {}.", job.who(seen(job)))
          : fmt::format("{} unfinished collectives, each of which all its members have begun, as far as the dumps say.",
                        job.subject(waiting, "has", "have"));
  if (const auto cause = logged_cause(job); cause && waiting.empty()) {
    verdict.shape = "logs alone";
    verdict.summary = fmt::format("{}; nothing in the files says that others waited for it.", cause->summary);
  }
  append(verdict.observations, recorded_operations(job));
  append(verdict.observations, roll_call(job));
  for (auto& doubt : doubts(job)) verdict.against.push_back(std::move(doubt));
  verdict.next_steps.push_back({"where do the ranks stand? the stacks, on each host", on_its_hosts(job)});
  return {verdict, {}, "no other rule fired"};
}

}  // namespace

Ruling judge_unknown(const JobFacts& job) {
  Verdict verdict;
  verdict.pattern = "unknown";
  verdict.confidence = Confidence::unknown;
  if (job.ranks.empty()) {
    verdict.summary = nothing_read(job);
    verdict.next_steps.push_back({"see the reasons under NOT READ", ""});
    return {verdict, {}, "no process was read"};
  }
  if (job.records_alone()) return records_alone(job, std::move(verdict));
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
  // Somebody without a stack may be at work.
  if (!job.blind.empty() && verdict.hung == model::Hung::yes) verdict.hung = model::Hung::undecided;
  append(verdict.observations, waiting_in_operations(job));
  append(verdict.observations, places_of(job, seen(job).minus(job.inside)));
  append(verdict.observations, children_of(job, seen(job)));
  append(verdict.observations, recorded_operations(job));
  append(verdict.observations, launched_on_communicators(job));
  append(verdict.observations, gloo_work(job));
  append(verdict.observations, rest_of(job, seen(job)));
  append(verdict.observations, gil_facts(job));
  append(verdict.observations, held_mutexes(job));
  append(verdict.observations, shared_locks(job));
  append(verdict.observations, other_threads(job));
  append(verdict.observations, pending_signals(job));
  append(verdict.observations, roll_call(job));
  for (auto& doubt : doubts(job)) verdict.against.push_back(std::move(doubt));
  if (const auto step = with_children(job, seen(job))) verdict.next_steps.push_back(*step);
  if (!verdict.since_s || job.samples == 1) {
    verdict.next_steps.push_back({"does anything move, over a longer time?", again(job, "--samples 3 --gap 30")});
  }
  verdict.next_steps.push_back({"all threads with their whole stacks", at_ranks(job, seen(job), "--full")});
  return {verdict, alternatives_of(job), "no other rule fired"};
}

}  // namespace hangstack::classifiers
