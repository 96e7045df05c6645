#pragma once
// What the ranks' flight recorders say together.

#include <string>
#include <vector>

#include "classifiers/fold/facts.h"
#include "classifiers/fold/pending_groups.h"

namespace hangstack::classifiers {

/// "all_reduce #2 of gloo group "default_pg", [256] Float"
std::string operation_text(const PendingGroup& group, const model::RecordedOperation& operation);

/// "recv from rank 1 of nccl group "default_pg", [256] Float"
std::string transfer_text(const JobFacts& job, const Transfer& transfer);

/// Who has which operation unfinished, and who recorded nothing behind an earlier one.
std::vector<model::Observation> recorded_operations(const JobFacts& job);

/// What a verdict that rests on the records has in common with every other: whether `waiting` is hung, how sure that
/// is, and what was seen.
void argue_by_records(model::Verdict& verdict, const JobFacts& job, const model::RankSet& waiting);

}  // namespace hangstack::classifiers
