#include "classifiers/fold/shared_communicators.h"

#include <algorithm>
#include <set>

#include "classifiers/fold/facts.h"

namespace hangstack::classifiers {

bool is_unequal(const SharedCommunicator& communicator) {
  const model::Communicator& first = *communicator.sides.begin()->second;
  return std::ranges::any_of(communicator.sides, [&](const auto& side) {
    return side.second->launched != first.launched || side.second->launched_of_any_kind != first.launched_of_any_kind;
  });
}

std::vector<SharedCommunicator> unequal_communicators_of(const std::vector<RankFacts>& ranks) {
  std::map<std::uint64_t, SharedCommunicator> by_hash;
  std::set<std::uint64_t> several;  // of which one process holds several sides: which of them waits is not known
  for (const RankFacts& rank : ranks) {
    for (const auto& library : rank.process->last().nccl_libraries) {
      for (const model::Communicator& side : library.communicators) {
        if (side.given_up()) continue;
        SharedCommunicator& shared = by_hash[side.hash];
        shared.hash = side.hash;
        shared.ranks = side.ranks;
        if (shared.name.empty()) shared.name = side.name;
        if (!shared.sides.emplace(rank.number, &side).second) several.insert(side.hash);
      }
    }
  }
  std::vector<SharedCommunicator> found;
  for (auto& [hash, shared] : by_hash)
    if (shared.sides.size() > 1 && !several.contains(hash) && is_unequal(shared)) found.push_back(std::move(shared));
  return found;
}

}  // namespace hangstack::classifiers
