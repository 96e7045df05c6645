#pragma once
// The sentences that verdicts are argued with.

#include <optional>
#include <string>
#include <vector>

#include "classifiers/fold/facts.h"
#include "model/diagnosis.h"

namespace hangstack::classifiers {

/// One observation per pending operation: who waits in it, at which line of the user's code.
std::vector<model::Observation> waiting_in_operations(const JobFacts& job);

/// "; ranks 0-2 wait in all_reduce" without those of `but`, to stand behind what a summary says of these; empty if
/// nobody else waits.
std::string waiting_peers(const JobFacts& job, const model::RankSet& but);

/// "sleeps in time.sleep, at train_step job.py:17" for the ranks of `set`, one observation per place.
std::vector<model::Observation> places_of(const JobFacts& job, const model::RankSet& set);

/// What gloo worker threads carry out for their ranks.
std::vector<model::Observation> gloo_work(const JobFacts& job);

/// That the ranks of `set` did not run, and for how long, from the kernel's counters. Empty without a second sample
/// and without an age.
std::vector<model::Observation> rest_of(const JobFacts& job, const model::RankSet& set);

/// Signals with a handler that wait for a thread of the process to take them.
std::vector<model::Observation> pending_signals(const JobFacts& job);

/// The job as its environment describes it: missing ranks, ranks seen twice, ranks counted by pid.
std::vector<model::Observation> roll_call(const JobFacts& job);

/// To sample again with the ranks of this host that were not asked for; none if there are none.
std::optional<model::NextStep> with_left_out(const JobFacts& job);

/// A zombie that may have been a rank, and has no environment any more that tells which.
bool is_nameless_zombie(const model::FailedProcess& failed);

/// What weakens every verdict: ranks without a stack, one sample only.
std::vector<std::string> doubts(const JobFacts& job);

/// "--pids 12 14" for the ranks of `set`, at most eight of them; of all ranks of the job if it is empty.
std::string pids_option(const JobFacts& job, const model::RankSet& set);

/// `verdict` with the age of `waiting` and the answer to "is it hung": yes if they stand still and an age says since
/// when, else undecided.
void decide_hung(model::Verdict& verdict, const JobFacts& job, const model::RankSet& waiting);

void append(std::vector<model::Observation>& to, std::vector<model::Observation> more);

/// What the rank does, to stand behind its name: "sleeps in time.sleep at train_step job.py:17"
std::string doing(const JobFacts& job, int rank);
std::string doing(const ProcessFacts& process);

/// "hangstack --pids 12 14 ARGUMENTS" for the ranks of `set`; of stacks in dumps their whole
/// stacks, and of records alone on_its_hosts().
std::string at_ranks(const JobFacts& job, const model::RankSet& set, std::string_view arguments);

/// "hangstack" for all ranks of the host; where the ranks are dumps, with what to fill in: nothing says that the job
/// runs here.
std::string on_its_hosts(const JobFacts& job);

/// "hangstack --pids 12 14 ARGUMENTS" for all ranks of the job, or "hangstack ARGUMENTS" where they are too many to
/// name.
std::string again(const JobFacts& job, std::string_view arguments);

}  // namespace hangstack::classifiers
