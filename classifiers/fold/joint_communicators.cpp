#include "classifiers/fold/joint_communicators.h"

#include <algorithm>

#include "classifiers/fold/facts.h"

namespace hangstack::classifiers {
namespace {

struct Side {
  std::size_t job = 0;
  const RankFacts* rank = nullptr;
  const model::Communicator* communicator = nullptr;
};

using Sides = std::map<std::uint64_t, std::vector<Side>>;

Sides sides_of(const std::vector<JobFacts>& jobs) {
  Sides found;
  for (std::size_t i = 0; i < jobs.size(); ++i)
    for (const RankFacts& rank : jobs[i].ranks)
      for (const auto& library : rank.process->last().nccl_libraries)
        for (const model::Communicator& side : library.communicators)
          if (!side.given_up()) found[side.hash].push_back({i, &rank, &side});
  return found;
}

bool spans_jobs(const std::vector<Side>& sides) {
  return std::ranges::any_of(sides, [&](const Side& side) { return side.job != sides.front().job; }) &&
         std::ranges::all_of(sides, [](const Side& side) { return side.communicator->launched_in_all() > 0; });
}

}  // namespace

std::uint64_t JointCommunicator::most_launched() const {
  std::uint64_t most = 0;
  for (const auto& [rank, side] : here) most = std::max(most, side->launched_in_all());
  for (const RankElsewhere& other : elsewhere) most = std::max(most, other.side->launched_in_all());
  return most;
}

void join_jobs(std::vector<JobFacts>& jobs) {
  for (const auto& [hash, sides] : sides_of(jobs)) {
    if (!spans_jobs(sides)) continue;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      JointCommunicator joint;
      joint.hash = hash;
      joint.ranks = sides.front().communicator->ranks;
      for (const Side& side : sides) {
        if (side.job == i)
          joint.here.emplace(side.rank->number, side.communicator);
        else
          joint.elsewhere.push_back({jobs[side.job].key, side.rank->number, side.rank->process, side.communicator});
      }
      if (!joint.here.empty()) jobs[i].joint.push_back(std::move(joint));
    }
  }
}

}  // namespace hangstack::classifiers
