// rank_died: a rank has ended while its peers wait for it.
//
// Evidence: a zombie, a pid that vanished while it was sampled, or a rank that the environment places on this host
// and that no process here is. A rank that another host may hold is never called dead. Cannot know: why it ended
// (its own log or the kernel's says that), and whether it ended because of the hang.

#include <fmt/format.h>

#include "classifiers/evidence/logged.h"
#include "classifiers/evidence/observations.h"
#include "classifiers/patterns/pattern.h"

namespace hangstack::classifiers {
namespace {

using model::Confidence;
using model::ErrorCode;
using model::RankSet;
using model::Verdict;

struct Deaths {
  RankSet zombies;                     ///< seen as Z
  RankSet vanished;                    ///< there at first, gone later
  RankSet absent;                      ///< expected on this host, not there
  RankSet logged;                      ///< its log, or its launcher's, tells how it ended, and no stack shows it alive
  std::vector<std::int32_t> nameless;  ///< pids of zombies that have no environment any more: of which rank?

  [[nodiscard]] RankSet all() const { return zombies.united(vanished).united(absent).united(logged); }
};

Deaths deaths_in(const JobFacts& job) {
  Deaths deaths;
  for (const int n : job.dead.ranks()) {
    (job.rank(n)->state().kind == StateKind::dead ? deaths.zombies : deaths.vanished).insert(n);
  }
  for (const auto* failed : job.failed) {
    const bool zombie = failed->error.code == ErrorCode::zombie || failed->kernel_state == 'Z';
    const bool vanished = failed->error.code == ErrorCode::vanished;
    if (!zombie && !vanished) continue;
    if (failed->identity.rank && failed->identity.role == model::Role::rank) {
      (zombie ? deaths.zombies : deaths.vanished).insert(*failed->identity.rank);
    } else if (is_nameless_zombie(*failed)) {
      deaths.nameless.push_back(failed->pid);
    }
  }
  // As many zombies as ranks are missing.
  const RankSet untraced = job.untraced();
  if (!deaths.nameless.empty() && untraced.size() == deaths.nameless.size()) {
    deaths.absent = untraced;
  }
  for (const int n : job.expected_here.ranks()) {
    if (untraced.contains(n)) deaths.absent.insert(n);
  }
  for (const auto& [rank, event] : ended_by_themselves(job)) {
    const RankFacts* known = job.rank(rank);
    if (known == nullptr || known->process->threads.empty()) deaths.logged.insert(rank);
  }
  return deaths;
}

/// "pid 7 has ended", "pid 7 and 2 more have ended"
std::string zombies_text(const Deaths& deaths) {
  if (deaths.nameless.size() == 1) return fmt::format("pid {} has ended", deaths.nameless.front());
  return fmt::format("pid {} and {} more have ended", deaths.nameless.front(), deaths.nameless.size() - 1);
}

Confidence confidence_of(const Deaths& deaths) {
  if (!deaths.zombies.empty()) return Confidence::certain;
  if (!deaths.vanished.empty() || !deaths.nameless.empty()) return Confidence::likely;
  return Confidence::possible;
}

void observe(Verdict& verdict, const JobFacts& job, const Deaths& deaths) {
  if (!deaths.zombies.empty()) {
    verdict.observations.push_back({"a zombie: it has ended and waits for its parent", deaths.zombies, "/proc"});
  }
  if (!deaths.vanished.empty()) {
    verdict.observations.push_back({"the process ended while it was being sampled", deaths.vanished, "/proc"});
  }
  if (!deaths.absent.empty() && !job.expected_by.empty()) {
    verdict.observations.push_back(
        {fmt::format("no process of this job here has that rank, though {} places it here", job.expected_by),
         deaths.absent, "environment"});
  }
  if (!deaths.logged.empty() && !timed_out(job).minus(deaths.logged).empty())
    verdict.observations.push_back({"gave up waiting, by their logs", timed_out(job).minus(deaths.logged), "logs"});
  if (!deaths.nameless.empty())
    verdict.observations.push_back({zombies_text(deaths) + ", of unknown rank", {}, "/proc"});
  append(verdict.observations, waiting_in_operations(job));
  append(verdict.observations, rest_of(job, job.inside));
}

/// What the others wait in.
std::string place_of(const JobFacts& job, bool by_log) {
  if (!job.operations.empty()) return job.operations.front().title;
  if (!job.pending_groups.empty()) return job.pending_groups.front().pending.begin()->second->name;
  return by_log && job.device.empty() ? "vain" : "device calls";
}

void add_steps(Verdict& verdict, const JobFacts& job, const Deaths& deaths) {
  if (verdict.hung != model::Hung::yes && deaths.logged.empty())
    verdict.next_steps.push_back({"does it come after all? watch for longer", again(job, "--samples 3 --gap 10")});
  if (deaths.zombies.empty() && deaths.vanished.empty() && deaths.logged.empty()) {
    verdict.next_steps.push_back({job.imported() ? "does it run? look at all ranks of its host"
                                                 : "was it left out of the pids? look at all ranks of this host",
                                  on_its_hosts(job)});
  }
  verdict.next_steps.push_back({"killed for memory?", "dmesg -T | grep -iE 'out of memory|killed process'"});
  if (deaths.logged.empty())
    verdict.next_steps.push_back({"its own last words: the log of that rank and of the launcher", ""});
  const bool may_not_have_begun =
      deaths.logged.empty() && deaths.zombies.empty() && deaths.vanished.empty() && deaths.nameless.empty();
  verdict.verification.emplace_back(
      may_not_have_begun ? "start that rank if it never was; if it ended, restart the job: the others cannot go on "
                           "without it"
                         : "restart the job: the survivors cannot go on without that rank");
}

}  // namespace

Ruling judge_rank_died(const JobFacts& job) {
  const Deaths deaths = deaths_in(job);
  const RankSet gone = deaths.all();
  if (gone.empty()) {
    const char* reason = job.missing.empty()      ? "no rank has ended and none is missing"
                         : job.untraced().empty() ? "the ranks that are missing run here, and were not asked for"
                                                  : "ranks are missing here, but another host may hold them";
    if (deaths.nameless.empty() || job.inside.empty()) return {{}, {}, reason};
    // Ranks that are counted by pid cannot tell which one is missing, nor that it was one.
    return {{},
            {{"rank_died", Confidence::possible, zombies_text(deaths) + ": if it was a rank, its peers wait for it"}},
            reason};
  }
  RankSet waiting = job.inside.united(job.device);
  // Where nobody's stack is there, those that the watchdog or the store has told of.
  if (!deaths.logged.empty() && job.records_alone()) waiting = waiting.united(timed_out(job)).minus(deaths.logged);
  if (waiting.empty() || !waiting.minus(job.moved).ranks().size()) {
    return {{}, {}, fmt::format("{} gone, but nobody waits for peers", job.who(gone))};
  }
  Verdict verdict;
  verdict.pattern = "rank_died";
  verdict.confidence = confidence_of(deaths);
  const bool by_log = deaths.logged == gone;
  const bool seen_to_end = verdict.confidence != Confidence::possible || by_log;
  verdict.shape = by_log ? "ended, by its log" : seen_to_end ? "ended" : "no such process on this host";
  verdict.culprit_ranks = gone;
  decide_hung(verdict, job, waiting);
  verdict.summary = fmt::format(
      "{}; {} in {}.",
      seen_to_end ? job.subject(gone, "has ended", "have ended") : job.subject(gone, "is not there", "are not there"),
      by_log && job.operations.empty() ? job.subject(waiting, "waited", "waited") : job.subject(waiting, "wait"),
      place_of(job, by_log));
  observe(verdict, job, deaths);
  if (!job.outside.empty()) {
    verdict.against.push_back(fmt::format("{} is outside the operation too", job.who(job.outside)));
  }
  if (by_log) verdict.against.emplace_back("logs alone do not prove that it ended before the others waited");
  for (auto& doubt : doubts(job)) {
    if (job.samples == 1 || !job.blind.empty()) verdict.against.push_back(std::move(doubt));
  }
  add_steps(verdict, job, deaths);
  return {verdict, {}, fmt::format("{} gone while {} wait(s)", job.who(gone), job.who(waiting))};
}

}  // namespace hangstack::classifiers
