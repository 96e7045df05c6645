#pragma once
// What NCCL's own memory says the ranks have launched.

#include <string>
#include <string_view>
#include <vector>

#include "classifiers/fold/facts.h"

namespace hangstack::classifiers {

/// The source of observations that memory tells.
inline constexpr std::string_view kNcclMemory = "NCCL's memory";

/// "NCCL communicator 0x3f2a (2 ranks)"
std::string communicator_text(const SharedCommunicator& communicator);
std::string communicator_text(const JointCommunicator& communicator);

/// "2 AllReduce, 1 Broadcast"
std::string launches_text(const model::Communicator& side);

/// Who has launched what, of communicators whose sides differ by memory.
std::vector<model::Observation> launched_on_communicators(const JobFacts& job);

/// On some communicator that all of them share, each of `late` has launched less than each of `waiting`.
bool behind_in_launches(const JobFacts& job, const model::RankSet& waiting, const model::RankSet& late);

}  // namespace hangstack::classifiers
