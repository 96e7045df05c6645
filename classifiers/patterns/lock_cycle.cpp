// lock_cycle: threads of one process hold what each other waits for. gil_deadlock: one of the locks is Python's GIL.
//
// Evidence: the owner that glibc writes into a mutex, the holder of the GIL, and stacks that did not move: a fact
// inside one process, hence "certain" where two samples show it. Not claimed of a thread that moved. Cannot know: locks
// that keep no owner (Python's threading.Lock, semaphores, read-write locks), and whether a lock has a time limit.

#include <fmt/format.h>

#include <string>

#include "classifiers/evidence/inside_process.h"
#include "classifiers/evidence/observations.h"
#include "classifiers/fold/lock_cycles.h"
#include "classifiers/patterns/pattern.h"

namespace hangstack::classifiers {
namespace {

using model::Confidence;
using model::Hung;
using model::RankSet;
using model::Verdict;

/// "threads 12 and 15 wait for what the other holds"
std::string cycle_text(const LockCycle& cycle) {
  if (cycle.threads.size() == 1)
    return fmt::format("thread {} waits for a mutex that it holds itself", cycle.threads[0]->view.thread->tid);
  std::string text = "threads ";
  for (std::size_t i = 0; i < cycle.threads.size(); ++i) {
    const bool last = i + 1 == cycle.threads.size();
    text += fmt::format("{}{}", i == 0 ? "" : last ? " and " : ", ", cycle.threads[i]->view.thread->tid);
  }
  return text + (cycle.threads.size() == 2 ? " each wait for what the other holds" : " wait for each other in a ring");
}

Ruling judge(const JobFacts& job, bool through_gil) {
  const RankFacts* example = nullptr;
  RankSet found;
  for (const auto& rank : job.ranks) {
    if (!rank.lock_cycle || rank.lock_cycle->through_gil != through_gil) continue;
    if (example == nullptr) example = &rank;
    found.insert(rank.number);
  }
  if (example == nullptr) return {{}, {}, "no threads hold what each other waits for"};
  const RankSet first{example->number};
  const LockCycle& cycle = *example->lock_cycle;
  Verdict verdict;
  verdict.pattern = through_gil ? "gil_deadlock" : "lock_cycle";
  verdict.shape = cycle.threads.size() == 1 ? "a mutex locked twice"
                  : through_gil             ? "a lock and the GIL"
                                            : fmt::format("{} threads", cycle.threads.size());
  verdict.culprit_ranks = found;
  verdict.hung = job.samples > 1 ? Hung::yes : Hung::undecided;
  verdict.confidence = job.samples > 1 ? Confidence::certain : Confidence::likely;
  verdict.since_s = job.least_sleep(found);
  const std::string where = job.single() ? "" : fmt::format("In {} ", job.who(first));
  verdict.summary = where + cycle_text(cycle) + waiting_peers(job, found) + ".";
  append(verdict.observations, held_mutexes(job));
  append(verdict.observations, gil_facts(job));
  append(verdict.observations, waiting_in_operations(job));
  append(verdict.observations, rest_of(job, found));
  append(verdict.observations, roll_call(job));
  for (auto& doubt : doubts(job)) verdict.against.push_back(std::move(doubt));
  verdict.next_steps.push_back(
      {"which locks, in which order? the whole stacks of its threads", at_ranks(job, found, "--full")});
  verdict.next_steps.push_back({"nothing frees these threads: once that is kept, end the job", ""});
  verdict.verification.emplace_back(through_gil ? "no lock is taken with the GIL held that is held while taking the GIL"
                                                : "all threads take these locks in one order");
  return {verdict, {}, fmt::format("{}: {}", job.who(first), cycle_text(cycle))};
}

}  // namespace

Ruling judge_lock_cycle(const JobFacts& job) { return judge(job, false); }

Ruling judge_gil_deadlock(const JobFacts& job) { return judge(job, true); }

}  // namespace hangstack::classifiers
