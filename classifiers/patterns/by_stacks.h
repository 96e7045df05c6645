#pragma once
// What the rules share that have stacks and no records: never more than "possible" across ranks.

#include <string>
#include <string_view>

#include "classifiers/fold/facts.h"
#include "classifiers/patterns/pattern.h"
#include "model/diagnosis.h"

namespace hangstack::classifiers {

/// No rank is lost, outside, stopped, dead or blind: all that were read wait for peers or the device, and none moved.
bool all_wait(const JobFacts& job);

/// So it is, and no flight recorder tells what they wait for: else the rules of records have spoken, and stacks know
/// less.
bool stacks_decide(const JobFacts& job);

/// Whether each pending operation is of that kind; true where there is none.
bool all_of_kind(const JobFacts& job, StateKind kind);

/// All that were read.
model::RankSet ranks_read(const JobFacts& job);

/// A verdict of `pattern`, "possible", with what the stacks of all ranks show. `waiting`: those whose age counts.
model::Verdict by_stacks(const JobFacts& job, std::string_view pattern, const model::RankSet& waiting,
                         std::string summary);

/// Whether the process has threads that a process group of gloo or NCCL keeps.
bool has_group_threads(const ProcessFacts& process);

}  // namespace hangstack::classifiers
