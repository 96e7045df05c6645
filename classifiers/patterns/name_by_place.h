#pragma once
// A rank that holds its peers up, under the documented name of the place where it or they stand.

#include "classifiers/fold/facts.h"
#include "classifiers/patterns/outsiders.h"
#include "model/diagnosis.h"

namespace hangstack::classifiers {

/// Renames `verdict`, which blames `culprits` for being elsewhere, by what their peers wait for: init_timeout for a
/// group or communicator to come about, p2p_hang_after_abort for a send or recv of ranks that keep no process group any
/// more. Whether it did.
bool name_by_wait(model::Verdict& verdict, const JobFacts& job, const Outsiders& split, const model::RankSet& culprits);

/// By name_by_wait(), else the name that stall_kind_of() gives to where all culprits are.
void name_by_place(model::Verdict& verdict, const JobFacts& job, const Outsiders& split,
                   const model::RankSet& culprits);

/// Whether each of `ranks` waits in the c10d store while a default group or an NCCL communicator is made.
bool wait_in_store_for_setup(const JobFacts& job, const model::RankSet& ranks);

}  // namespace hangstack::classifiers
